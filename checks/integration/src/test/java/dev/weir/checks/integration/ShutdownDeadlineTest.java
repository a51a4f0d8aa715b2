package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the end of a JVM gives a pipeline that drains on shutdown. */
class ShutdownDeadlineTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    /** A pipeline with a resource that takes its time to close, in a JVM that ends at once. */
    static final class Subject {

        private Subject() {}

        /** Arguments: the deadline of the drain, how long the resource takes to close. */
        public static void main(String[] args) {
            Sink<Integer> sink = Sink.custom("sink", context -> {
                context.onTermination(patience -> {
                    System.out.println(
                            patience.compareTo(Duration.ofDays(1)) > 0 ? "patience of days" : "patience " + patience);
                    work(Duration.parse(args[1]));
                    System.out.println("closed");
                    return "";
                });
                return upstream -> {
                    while (upstream.pull(Stage.NEVER) != null) {}
                };
            });
            Source.<Integer>never().to(sink).run().drainOnShutdown(Duration.parse(args[0]));
            System.exit(0);
        }

        private static void work(Duration time) {
            try {
                ConsumerLedger.work(time);
            } catch (InterruptedException e) {
                System.out.println("interrupted");
            }
        }
    }

    private static String run(Duration deadline, Duration closing) {
        try (PipeProcess subject =
                PipeProcess.startMain(Subject.class.getName(), 64, deadline.toString(), closing.toString())) {
            assertThat(subject.exitCode(SOON)).as(subject.err()).isZero();
            return subject.out();
        }
    }

    @Test
    @Timeout(120)
    void drain_hasTheDeadlineThatWasGiven() {
        assertThat(run(Duration.ofDays(2), Duration.ZERO).lines()).containsExactly("patience of days", "closed");
    }

    /** Longer than a cancelled stage may take to let go. */
    @Test
    @Timeout(120)
    void jvm_waitsForResources_thatCloseAfterTheDeadline() {
        assertThat(run(Duration.ZERO, Duration.ofSeconds(7)).lines()).containsExactly("patience PT0S", "closed");
    }
}
