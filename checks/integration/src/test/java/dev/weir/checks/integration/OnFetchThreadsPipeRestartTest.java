package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A process that dies with two fetch threads; the others of these tests end it by means that are the same there. Long,
 * as the other twins.
 */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsPipeRestartTest extends PipeRestartTest {

    @Override
    @Test
    @SuppressWarnings("JUnitMethodInvoked") // how a subclass runs some of the tests again, and not all
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
