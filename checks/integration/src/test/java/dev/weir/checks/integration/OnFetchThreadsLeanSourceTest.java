package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** The same with two fetch threads. */
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsLeanSourceTest extends LeanSourceTest {

    /** Is about the other path. */
    @Override
    void decoder_withoutTheLeanPath_isRefused() {}
}
