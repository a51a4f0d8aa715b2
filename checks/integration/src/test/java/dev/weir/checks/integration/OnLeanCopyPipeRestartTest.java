package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** A pipe that fetches and writes by lean, killed and ended: nothing is committed before the brokers have it. */
@ExtendWith({OnLeanPath.class, OnLeanProducing.class})
class OnLeanCopyPipeRestartTest extends PipeRestartTest {

    @Override
    void kill_withRecordsThatNeverEnd_repeatsOnlyThose() {}
}
