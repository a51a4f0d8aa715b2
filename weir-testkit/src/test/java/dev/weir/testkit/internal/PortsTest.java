package dev.weir.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PortsTest {

    /** Regression: of two clusters started at the same time, one found its port in use. */
    @Test
    void port_thatWasChosenAndIsStillFree_isChosenNoMore() {
        int port = new Ports().next();
        assertThat(Ports.isFree(port)).isTrue();
        assertThat(Ports.reserve(port)).isFalse();
    }

    @Test
    void ports_ofManyClusters_differ() {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 500; i++) {
            assertThat(given.add(new Ports().next())).isTrue();
        }
    }
}
