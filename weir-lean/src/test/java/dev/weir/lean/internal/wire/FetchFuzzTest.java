package dev.weir.lean.internal.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * What brokers answer, and what they should not. In the suite each input of the corpus is read once: what real brokers
 * have sent, and what a fuzzer has found. To let Jazzer go on from there, see ADR 14.
 */
class FetchFuzzTest {

    private static final AnyBytes ANY = new AnyBytes();

    @FuzzTest
    void responses(byte[] bytes) {
        ANY.response(bytes);
    }

    @FuzzTest
    void batches(byte[] bytes) {
        ANY.batches(bytes);
    }
}
