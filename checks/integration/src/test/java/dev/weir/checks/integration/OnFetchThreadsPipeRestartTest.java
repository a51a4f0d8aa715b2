package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kills a process that has two fetch threads. The superclass's other tests do not depend on fetch threads. A long test,
 * like the other variants.
 */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsPipeRestartTest extends PipeRestartTest {

    @Override
    @Test
    @SuppressWarnings("JUnitMethodInvoked") // overrides only to select the tests that this subclass repeats
    @Timeout(180)
    void kill_threeTimes_losesNothingAndRepeatsOnlyWhatWasNotCommitted() throws Exception {
        super.kill_threeTimes_losesNothingAndRepeatsOnlyWhatWasNotCommitted();
    }

    @Override
    void kill_withRecordsThatNeverEnd_repeatsOnlyThose() {}

    @Override
    void terminate_underLoad_drainsSoThatARestartRepeatsNothing() {}

    @Override
    void drain_thatExceedsItsTimeout_saysWhatIsUndoneAndFails() {}
}
