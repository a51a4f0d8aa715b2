package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A process that dies on the lean path; the others of these tests end it by means that are the same on both. Long, as
 * the other twins.
 */
@Tag("long")
@ExtendWith(OnLeanPath.class)
class OnLeanPipeRestartTest extends PipeRestartTest {

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
