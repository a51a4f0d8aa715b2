package dev.weir.stream.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.DrainReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DrainListenersTest {
    private final DrainListeners listeners = new DrainListeners();
    private final DrainReport report = DrainReport.of(true, List.of(), Duration.ZERO, List.of());
    private final List<String> called = new ArrayList<>();

    /** Regression: an action that was added after {@code await} waited for {@link DrainListeners#tell}. */
    @Test
    void action_addedAfterTheConclusion_isCalledAtOnce_andOthersOnce() throws InterruptedException {
        listeners.add(of -> called.add("early"));
        listeners.conclude(report);
        listeners.add(of -> called.add("late"));
        assertThat(called).containsExactly("late");
        listeners.tell(report);
        listeners.tell(report);
        listeners.await(Long.MAX_VALUE);
        assertThat(called).containsExactly("late", "early");
    }

    @Test
    void actions_getTheFirstReport() {
        List<DrainReport> reports = new ArrayList<>();
        listeners.add(reports::add);
        listeners.conclude(report);
        DrainReport other = DrainReport.of(false, List.of(), Duration.ZERO, List.of());
        listeners.conclude(other);
        listeners.tell(other);
        listeners.add(reports::add);
        assertThat(reports).containsExactly(report, report);
    }
}
