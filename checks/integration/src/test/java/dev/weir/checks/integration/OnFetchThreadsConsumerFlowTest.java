package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ConsumerFlowTest} with two fetch threads. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsConsumerFlowTest extends ConsumerFlowTest {

    /** Not repeated here, because it takes long and tests Weir's own limits. */
    @Override
    void threeThousandPartitions_stayWithinTheBudget() {}

    /** Not repeated here, because it takes long and tests Weir's own limits. */
    @Override
    void sixHundredPartitions_stayWithinTheBudget() {}
}
