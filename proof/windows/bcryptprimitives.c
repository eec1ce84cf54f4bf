/* The one function of bcryptprimitives.dll that Go needs and Wine 8 lacks. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
	while (length > 0) {
		ULONG part = length > 0x10000000 ? 0x10000000 : (ULONG)length;
		if (!SystemFunction036(data, part))
			return FALSE;
		data += part;
		length -= part;
	}
	return TRUE;
}
