package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NetworkFaultTest {

    @ParameterizedTest
    @EnumSource
    void fault_isReadAsItIsTold(NetworkFault.Kind kind) {
        NetworkFault fault = new NetworkFault(kind, 7);
        assertThat(NetworkFault.of(fault.options())).isEqualTo(fault);
    }

    @Test
    void otherOptions_areNoFault() {
        assertThatThrownBy(() -> NetworkFault.of(Map.of(SendPlan.RATE, "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a network takes faults, and not");
    }
}
