package dev.weir.checks.integration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same on the lean path, on the two protocols that leave partitions where they are. */
@ExtendWith(OnLeanPath.class)
class OnLeanRebalanceRollingRestartTest extends RebalanceRollingRestartTest {

    @Override
    @ParameterizedTest
    @Tag("long")
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
