package dev.weir.lean.internal.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Broker answers, valid and invalid. The suite reads each input of the corpus once: answers that real brokers have
 * sent, and inputs that a fuzzer has found. To let Jazzer continue from there, see ADR 14.
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
