package dev.weir.lean.internal.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Tests valid and invalid responses. A build reads each input of the corpus once: responses of real brokers, and inputs
 * found by a fuzzer. ADR 14 describes longer fuzzing with Jazzer.
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
