/* matrix_sums.h - the sums that an NVIDIA H100 (sm_90, CUDA 13.0, driver 580.159.04) computed.
 *
 * SUMS(id, all, sample): the sums that kernels/matrix_list.h defines, over all inputs and over the
 * sample. Used by kernels/math_table.c.
 */
SUMS(f32_f16_k8, 0x743077ec9a34ea35u, 0xea6a5003e99f0878u)
SUMS(f32_f16_k16, 0xec619b419ce298beu, 0x0d37cc86c55a77bcu)
SUMS(f16_f16_k8, 0x3c741a19811b4ddbu, 0x1e26c2c202e2b465u)
SUMS(f16_f16_k16, 0xc414f0bc97d0aa68u, 0xc619f66f33f5e0cau)
SUMS(f32_bf16_k8, 0xa746429c048269a3u, 0xfa8756d8ac259bbdu)
SUMS(f32_bf16_k16, 0x04d71cdda8c92055u, 0x5f02c535d3e2fc2du)
SUMS(f32_tf32_k4, 0xb0a480ddd16d0ee0u, 0x6cc9abb10a85b8f1u)
SUMS(f32_tf32_k8, 0xefaffaed3920613fu, 0x275856bb8cbd24bau)
SUMS(f32_e4m3_e4m3_k16, 0xc49f810f94c30b2eu, 0x9e9c284105500679u)
SUMS(f32_e4m3_e4m3_k32, 0x5e44fd474061678bu, 0xbdf22f4dcdad2b5au)
SUMS(f16_e4m3_e4m3_k16, 0x5af0c84ee0e44f15u, 0x187cb83663cbebf5u)
SUMS(f16_e4m3_e4m3_k32, 0x683881d3e5bd2e00u, 0x0d603368b31e539fu)
SUMS(f32_e4m3_e5m2_k16, 0xa66d54eeb3d87380u, 0x208b352935b8631bu)
SUMS(f32_e4m3_e5m2_k32, 0x0e18559f26395dc6u, 0x68c01ef75f7e0a47u)
SUMS(f16_e4m3_e5m2_k16, 0x0bc426e7ec93c00bu, 0x94ac08f12ff8e872u)
SUMS(f16_e4m3_e5m2_k32, 0xbfb35f19297e9ac4u, 0x9eb7ea85456d29e4u)
SUMS(f32_e5m2_e4m3_k16, 0x3aef67a2778d01b7u, 0xef858876fe37bab8u)
SUMS(f32_e5m2_e4m3_k32, 0xb26bc603a432f892u, 0x2b1be02f46cc4d26u)
SUMS(f16_e5m2_e4m3_k16, 0xaf6745277be1cc94u, 0x7e299b890e53bcc2u)
SUMS(f16_e5m2_e4m3_k32, 0xdeb3153485b43f74u, 0x5e993111c3068cedu)
SUMS(f32_e5m2_e5m2_k16, 0x1844453101463b87u, 0x6e6348f03e4f9c57u)
SUMS(f32_e5m2_e5m2_k32, 0xc3694c0de462d945u, 0x0bf41df096d95e06u)
SUMS(f16_e5m2_e5m2_k16, 0x61c1091fff369b3au, 0xfb145147940039fcu)
SUMS(f16_e5m2_e5m2_k32, 0x67b82609786cb9b5u, 0x7ff899c552cb98ebu)
