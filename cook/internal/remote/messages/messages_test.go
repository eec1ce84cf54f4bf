package messages_test

import (
	"bytes"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	bspb "google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
)

// A twin is a message of this package with the generated message of the same type.
type twin struct {
	ours      any
	generated proto.Message
}

// twins has every message except nested ones.
var twins = []twin{
	{messages.Action{}, &repb.Action{}},
	{messages.Command{}, &repb.Command{}},
	{messages.Directory{}, &repb.Directory{}},
	{messages.ActionResult{}, &repb.ActionResult{}},
	{messages.RequestMetadata{}, &repb.RequestMetadata{}},
	{messages.GetCapabilitiesRequest{}, &repb.GetCapabilitiesRequest{}},
	{messages.ServerCapabilities{}, &repb.ServerCapabilities{}},
	{messages.GetActionResultRequest{}, &repb.GetActionResultRequest{}},
	{messages.UpdateActionResultRequest{}, &repb.UpdateActionResultRequest{}},
	{messages.FindMissingBlobsRequest{}, &repb.FindMissingBlobsRequest{}},
	{messages.FindMissingBlobsResponse{}, &repb.FindMissingBlobsResponse{}},
	{messages.BatchUpdateBlobsRequest{}, &repb.BatchUpdateBlobsRequest{}},
	{messages.BatchUpdateBlobsResponse{}, &repb.BatchUpdateBlobsResponse{}},
	{messages.BatchReadBlobsRequest{}, &repb.BatchReadBlobsRequest{}},
	{messages.BatchReadBlobsResponse{}, &repb.BatchReadBlobsResponse{}},
	{messages.ExecuteRequest{}, &repb.ExecuteRequest{}},
	{messages.ExecuteResponse{}, &repb.ExecuteResponse{}},
	{messages.WaitExecutionRequest{}, &repb.WaitExecutionRequest{}},
	{messages.Operation{}, &longrunningpb.Operation{}},
	{messages.ReadRequest{}, &bspb.ReadRequest{}},
	{messages.ReadResponse{}, &bspb.ReadResponse{}},
	{messages.WriteRequest{}, &bspb.WriteRequest{}},
	{messages.WriteResponse{}, &bspb.WriteResponse{}},
	{messages.QueryWriteStatusRequest{}, &bspb.QueryWriteStatusRequest{}},
	{messages.QueryWriteStatusResponse{}, &bspb.QueryWriteStatusResponse{}},
}

func (w twin) name() string { return reflect.TypeOf(w.ours).Name() }

// parse decodes data as a message of this package.
func (w twin) parse(data []byte) (any, error) {
	m := reflect.New(reflect.TypeOf(w.ours))
	err := messages.Unmarshal(data, m.Interface())
	return m.Interface(), err
}

// parseGenerated decodes data as the generated message.
func (w twin) parseGenerated(data []byte) (proto.Message, error) {
	m := w.generated.ProtoReflect().New().Interface()
	return m, proto.Unmarshal(data, m)
}

func encodeGenerated(m proto.Message) []byte {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err)
	}
	return data
}

// numberOf returns the number of a struct's field.
func numberOf(f reflect.StructField) protoreflect.FieldNumber {
	n, _ := strconv.Atoi(f.Tag.Get("field"))
	return protoreflect.FieldNumber(n)
}

// messageIn returns the message type of a field, or nil if the field has no message.
func messageIn(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		return t
	}
	return nil
}

// TestFieldsAreThoseOfTheAPI compares the fields of each struct with the API: their numbers, and
// the beginnings of their names.
func TestFieldsAreThoseOfTheAPI(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(reflect.Type, protoreflect.MessageDescriptor)
	check = func(ours reflect.Type, api protoreflect.MessageDescriptor) {
		if seen[ours] {
			return
		}
		seen[ours] = true
		last := protoreflect.FieldNumber(0)
		for i := range ours.NumField() {
			f := ours.Field(i)
			field := api.Fields().ByNumber(numberOf(f))
			if field == nil || numberOf(f) <= last {
				t.Errorf("%v.%s has number %d after %d", ours, f.Name, numberOf(f), last)
				continue
			}
			last = numberOf(f)
			name := strings.ReplaceAll(string(field.Name()), "_", "")
			if !strings.HasPrefix(name, strings.ToLower(f.Name)) {
				t.Errorf("%v.%s is %s in the API", ours, f.Name, field.Name())
			}
			below := messageIn(f.Type)
			if list := f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8; list != field.IsList() || (below != nil) != (field.Message() != nil) {
				t.Errorf("%v.%s is a %v, but %v %v in the API", ours, f.Name, f.Type, field.Cardinality(), field.Kind())
				continue
			}
			if below != nil {
				check(below, field.Message())
			}
		}
	}
	for _, w := range twins {
		check(reflect.TypeOf(w.ours), w.generated.ProtoReflect().Descriptor())
	}
	if len(seen) < 40 {
		t.Errorf("only %d messages were checked", len(seen))
	}
}

// TestBytesAreThoseOfGeneratedMessages checks that a message and its generated counterpart have the
// same encoding, and can decode each other.
func TestBytesAreThoseOfGeneratedMessages(t *testing.T) {
	for _, w := range twins {
		t.Run(w.name(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				m := reflect.New(reflect.TypeOf(w.ours))
				drawOurs(t, m.Elem(), reflect.TypeOf(w.ours) == reflect.TypeFor[messages.Operation]())
				data := messages.Marshal(m.Interface())
				generated, err := w.parseGenerated(data)
				if err != nil || !bytes.Equal(encodeGenerated(generated), data) {
					t.Fatalf("%+v: %x, generated %x (%v)", m.Elem(), data, encodeGenerated(generated), err)
				}
				if back, err := w.parse(data); err != nil || !reflect.DeepEqual(back, m.Interface()) {
					t.Fatalf("%+v comes back as %+v (%v)", m.Elem(), back, err)
				}
			})
			rapid.Check(t, func(t *rapid.T) {
				generated := w.generated.ProtoReflect().New()
				drawGenerated(t, generated, 3)
				ours, err := w.parse(encodeGenerated(generated.Interface()))
				if err != nil {
					t.Fatalf("%v: %v", generated, err)
				}
				project(generated, reflect.TypeOf(w.ours))
				if got, want := messages.Marshal(ours), encodeGenerated(generated.Interface()); !bytes.Equal(got, want) {
					t.Fatalf("%v is read as %+v: %x, want %x", generated, ours, got, want)
				}
			})
		})
	}
}

// drawOurs fills all fields of a struct with random values. For a oneof, it fills only one field.
func drawOurs(t *rapid.T, v reflect.Value, oneof bool) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int32:
		v.SetInt(int64(rapid.Int32().Draw(t, "number")))
	case reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "text"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			drawOurs(t, v.Elem(), false)
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			element := reflect.New(v.Type().Elem()).Elem()
			if element.Kind() == reflect.Uint8 {
				element.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
			} else {
				drawOurs(t, element, false)
			}
			v.Set(reflect.Append(v, element))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			drawOurs(t, v.Field(i), false)
		}
		if oneof && rapid.Bool().Draw(t, "failed") {
			v.FieldByName("Response").SetZero()
		} else if oneof {
			v.FieldByName("Error").SetZero()
		}
	}
}

// drawGenerated fills some fields of a generated message and, down to a maximum depth, of its
// nested messages with random values.
func drawGenerated(t *rapid.T, m protoreflect.Message, depth int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.IsMap() || f.Message() != nil && depth == 0 || rapid.IntRange(0, 2).Draw(t, "absent") == 0 {
			continue
		}
		if !f.IsList() {
			m.Set(f, drawValue(t, f, func() protoreflect.Value { return m.NewField(f) }, depth))
			continue
		}
		list := m.Mutable(f).List()
		for range rapid.IntRange(0, 3).Draw(t, "elements") {
			list.Append(drawValue(t, f, list.NewElement, depth))
		}
	}
}

func drawValue(t *rapid.T, f protoreflect.FieldDescriptor, empty func() protoreflect.Value, depth int) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.MessageKind:
		v := empty()
		drawGenerated(t, v.Message(), depth-1)
		return v
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(rapid.String().Draw(t, "text"))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(rapid.Int32().Draw(t, "number")))
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(t, "number"))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(t, "number"))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(t, "number"))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(t, "number"))
	}
	t.Fatalf("the test draws no %v", f.Kind())
	return protoreflect.Value{}
}

// project removes from a generated message everything that a message of this package cannot
// represent: unknown fields, and empty nested messages unless their fields are pointers.
func project(m protoreflect.Message, ours reflect.Type) {
	known := map[protoreflect.FieldNumber]reflect.Type{}
	for i := range ours.NumField() {
		known[numberOf(ours.Field(i))] = ours.Field(i).Type
	}
	m.SetUnknown(nil)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		t := known[f.Number()]
		switch {
		case t == nil:
			m.Clear(f)
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				project(v.List().Get(i).Message(), messageIn(t))
			}
		default:
			if project(v.Message(), messageIn(t)); t.Kind() == reflect.Struct && proto.Size(v.Message().Interface()) == 0 {
				m.Clear(f)
			}
		}
		return true
	})
}

// FuzzUnmarshal decodes hostile bytes, without a panic. Encoding and decoding the result must not
// change it. If the generated message accepts the bytes, Unmarshal must accept them with the same
// content.
func FuzzUnmarshal(f *testing.F) {
	for i := range twins {
		f.Add(i, []byte{0x0a, 0x02, 0x08, 0x01, 0x12, 0x00, 0x20, 0xff, 0x01})
		f.Add(i, []byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f})
		f.Add(i, []byte{0x0b, 0x0b, 0x0c, 0x0c, 0x52, 0x01, 'x'})
	}
	f.Add(3, messages.Marshal(&messages.ActionResult{
		OutputFiles: []messages.OutputFile{{Path: "0", Digest: messages.Digest{Hash: "ab", Size: 1}}}, ExitCode: -1, StdoutRaw: []byte("{}"),
	}))
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		w := twins[uint(i)%uint(len(twins))]
		ours, err := w.parse(data)
		generated, generatedErr := w.parseGenerated(data)
		if err != nil {
			if generatedErr == nil {
				t.Fatalf("%s %x: %v", w.name(), data, err)
			}
			return
		}
		encoded := messages.Marshal(ours)
		if back, err := w.parse(encoded); err != nil || !bytes.Equal(messages.Marshal(back), encoded) {
			t.Fatalf("%s %x: %+v comes back as %+v (%v)", w.name(), data, ours, back, err)
		}
		if op, ok := ours.(*messages.Operation); ok && op.Error != (messages.Status{}) && len(messages.Marshal(&op.Response)) > 0 {
			return // if both fields of a oneof are set, the generated message keeps one
		}
		if generatedErr != nil {
			return // Unmarshal skips a damaged field
		}
		project(generated.ProtoReflect(), reflect.TypeOf(w.ours))
		if want := encodeGenerated(generated); !bytes.Equal(encoded, want) {
			t.Fatalf("%s %x: %x, want %x", w.name(), data, encoded, want)
		}
	})
}

// TestListsAreBounded checks that a short message cannot make the decoder use much memory.
func TestListsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	for name, element := range map[string][]byte{"messages": {0x12, 0}, "packed numbers": {0x0a, 1, 0}} {
		m, most := any(&messages.FindMissingBlobsResponse{}), 1<<20
		if name == "packed numbers" {
			m = &messages.CacheCapabilities{}
		}
		if err := messages.Unmarshal(bytes.Repeat(element, most), m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := messages.Unmarshal(element, m); err == nil {
			t.Errorf("%s: a list of %d elements is taken", name, most+1)
		}
	}
}

// TestEmptyMessage checks that the encoding of an empty message is not nil, because package share
// treats nil as no message.
func TestEmptyMessage(t *testing.T) {
	if data := messages.Marshal(&messages.Directory{}); data == nil || len(data) > 0 {
		t.Errorf("%#v", data)
	}
}

// TestDecodedBytesAreCopies checks that a decoded message does not refer to the encoded bytes,
// because connect reuses their memory.
func TestDecodedBytesAreCopies(t *testing.T) {
	data := messages.Marshal(&messages.ReadResponse{Data: []byte("content")})
	var m messages.ReadResponse
	if err := messages.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	clear(data)
	if string(m.Data) != "content" {
		t.Errorf("%q", m.Data)
	}
}

func TestTimestampsKeepNanoseconds(t *testing.T) {
	at := time.Date(1969, 7, 20, 20, 17, 40, 5, time.UTC)
	if got := messages.TimestampOf(at); got.Nanos != 5 || !got.Time().Equal(at) {
		t.Errorf("%+v is %v, want %v", got, got.Time(), at)
	}
	for _, bad := range []messages.Timestamp{{Seconds: math.MaxInt64}, {Seconds: math.MinInt64}, {Nanos: -1}, {Nanos: 1e9}} {
		if !bad.Time().IsZero() {
			t.Errorf("%+v is %v", bad, bad.Time())
		}
	}
}

func TestNamesOfValues(t *testing.T) {
	for n := int32(-1); n < 20; n++ {
		if got, want := messages.DigestFunction(n).String(), repb.DigestFunction_Value(n).String(); got != want {
			t.Errorf("digest function %d is %s, want %s", n, got, want)
		}
		if got, want := messages.Compressor(n).String(), repb.Compressor_Value(n).String(); got != want {
			t.Errorf("compressor %d is %s, want %s", n, got, want)
		}
	}
}
