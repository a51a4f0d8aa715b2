package dev.weir.checks.integration;

import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link ConsumerFlowTest} on the lean path. */
@ExtendWith(OnLeanPath.class)
class OnLeanConsumerFlowTest extends ConsumerFlowTest {

    /** Not repeated here, because it takes long and tests Weir's own limits. */
    @Override
    void threeThousandPartitions_stayWithinTheBudget() {}

    /** Not repeated here, because it takes long and tests Weir's own limits. */
    @Override
    void sixHundredPartitions_stayWithinTheBudget() {}
}
