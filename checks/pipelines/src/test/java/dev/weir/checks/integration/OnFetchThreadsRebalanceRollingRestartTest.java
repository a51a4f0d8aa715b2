package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the tests of {@link RebalanceRollingRestartTest} with two fetch threads, with the two protocols that let members
 * keep their partitions.
 */
@ExtendWith(OnFetchThreads.class)
class OnFetchThreadsRebalanceRollingRestartTest extends RebalanceRollingRestartTest {

    @Override
    @ParameterizedTest
    @EnumSource(names = "CONSUMER")
    void rollingRestart_underLoad_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        super.rollingRestart_underLoad_losesAndRepeatsNothing(protocol);
    }

    @Override
    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = "COOPERATIVE")
    void rollingRestart_onOtherProtocols_losesAndRepeatsNothing(GroupLoad.Protocol protocol) throws Exception {
        super.rollingRestart_onOtherProtocols_losesAndRepeatsNothing(protocol);
    }
}
