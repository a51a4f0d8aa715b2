package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HarnessThreadsTest {

    @Test
    void counts_ofAThreadThatHasEnded_remain() throws Exception {
        long cpuBefore = HarnessThreads.cpuNanos();
        long allocatedBefore = HarnessThreads.allocatedBytes();
        AtomicLong cpu = new AtomicLong();
        AtomicLong allocated = new AtomicLong();
        Thread thread = HarnessThreads.start("harness", () -> {
            assertThat(new byte[1 << 20]).isNotEmpty();
            allocated.set(HarnessThreads.allocatedBytes() - allocatedBefore);
            cpu.set(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
        });
        assertThat(thread.isDaemon()).isTrue();
        thread.join();
        assertThat(cpu).hasPositiveValue();
        assertThat(HarnessThreads.cpuNanos() - cpuBefore).isGreaterThanOrEqualTo(cpu.get());
        assertThat(allocated).hasValueGreaterThan(1 << 20);
        assertThat(HarnessThreads.allocatedBytes() - allocatedBefore).isGreaterThanOrEqualTo(allocated.get());
    }
}
