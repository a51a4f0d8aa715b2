package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** Runs the tests of {@link RebalanceScaleTest} that revoke and reassign partitions with two fetch threads. */
@Tag("long")
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsRebalanceScaleTest extends RebalanceScaleTest {

    /** Not repeated here, because fetch threads treat new partitions like all others. */
    @Override
    void partitionsAdded_underLoad_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}

    @Override
    void partitionsAdded_onOtherProtocols_areTakenUpAndNothingIsLost(GroupLoad.Protocol protocol) {}
}
