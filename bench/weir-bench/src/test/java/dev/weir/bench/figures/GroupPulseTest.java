package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the pulse of a group on a test clock. Ten records arrive per unit of time. */
class GroupPulseTest {
    private final AtomicLong clock = new AtomicLong();
    private final GroupPulse pulse =
            new GroupPulse(() -> new GroupPulse.Look(clock.get(), 10 * clock.get(), clock.get()));

    @Test
    void intervalThatIsHeardOfLate_hasWhatHadComeAtItsEnd() {
        for (int i = 0; i < 5; i++) {
            clock.addAndGet(2);
            pulse.note();
        }
        clock.set(99);
        assertThat(pulse.at(3).came()).isEqualTo(40);
        assertThat(pulse.at(4).again()).isEqualTo(4);
        assertThat(pulse.at(10).came()).isEqualTo(100);
        assertThat(pulse.at(11).came()).as("nobody has looked since").isEqualTo(990);
    }

    @Test
    void pulse_notesByItself() throws Exception {
        CountDownLatch noted = new CountDownLatch(3);
        try (GroupPulse byItself = new GroupPulse(() -> {
            noted.countDown();
            return new GroupPulse.Look(7, 70, 0);
        })) {
            byItself.start();
            assertThat(noted.await(1, TimeUnit.MINUTES)).isTrue();
            assertThat(byItself.at(7).came()).isEqualTo(70);
        }
    }
}
