package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link LeanSourceTest} with two fetch threads. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsLeanSourceTest extends LeanSourceTest {

    /** Not repeated here, because it tests the client path. */
    @Override
    void decoder_withoutTheLeanPath_isRefused() {}
}
