package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Kills and ends a pipe that fetches and writes on the lean path. No record is committed before the brokers have stored
 * its copy.
 */
@ExtendWith({OnLeanPath.class, OnLeanProducing.class})
class OnLeanCopyPipeRestartTest extends PipeRestartTest {

    @Override
    void kill_withRecordsThatNeverEnd_repeatsOnlyThose() {}

    @Override
    @Test
    @Tag("long")
    @SuppressWarnings("JUnitMethodInvoked") // overrides only to add a tag
    @Timeout(120)
    void terminate_underLoad_drainsSoThatARestartRepeatsNothing() throws Exception {
        super.terminate_underLoad_drainsSoThatARestartRepeatsNothing();
    }

    @Override
    @Test
    @Tag("long")
    @SuppressWarnings("JUnitMethodInvoked") // overrides only to add a tag
    @Timeout(120)
    void drain_thatExceedsItsTimeout_saysWhatIsUndoneAndFails() {
        super.drain_thatExceedsItsTimeout_saysWhatIsUndoneAndFails();
    }
}
