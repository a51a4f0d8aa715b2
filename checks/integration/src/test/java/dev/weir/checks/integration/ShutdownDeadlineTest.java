package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.RestartingPipeline;
import dev.weir.stream.Backoff;
import dev.weir.stream.DrainReport;
import dev.weir.stream.Ordering;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.stream.Source;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the time that a pipeline gets to drain while its JVM shuts down. */
class ShutdownDeadlineTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    /** A pipeline with a slowly closing resource, in a JVM that exits immediately. */
    static final class Subject {

        private Subject() {}

        /** Takes the drain's deadline, and the time that the resource takes to close. */
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

    @Test
    @Timeout(120)
    void jvm_waitsForResources_thatCloseAfterTheDeadline() {
        assertThat(run(Duration.ZERO, Duration.ofSeconds(7)).lines()).containsExactly("patience PT0S", "closed");
    }

    /** A program like the tutorial's: its main method waits for the pipeline and uses its report. */
    static final class Waiting {

        private Waiting() {}

        /** Takes {@code true} if main must run forever, and the name of a {@link Wait}. */
        public static void main(String[] args) throws Exception {
            Pipeline pipeline = Source.<Integer>never().to(Sink.ignore());
            DrainReport report = switch (Wait.valueOf(args[1])) {
                case RUN -> told(pipeline.run()).await();
                case FUTURE -> told(pipeline.run()).completion().get();
                case RESTARTING -> {
                    RestartingPipeline restarting = RestartingPipeline.run(pipeline, RestartSettings.of(Backoff.NONE));
                    RunningPipeline ignored = told(Objects.requireNonNull(restarting.current()));
                    yield restarting.completion().get();
                }
            };
            System.out.println("returned " + report.drained());
            boolean ignored = new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS); // as main would work
            if (args[0].equals("true")) {
                new CountDownLatch(1).await();
            }
            System.out.println("ended");
        }

        private static RunningPipeline told(RunningPipeline running) {
            RunningPipeline same = running.onDrained(report -> System.out.println("told " + report.drained()))
                    .drainOnShutdown();
            System.out.println("running");
            return same;
        }
    }

    enum Wait {
        RUN,
        FUTURE,
        RESTARTING
    }

    @ParameterizedTest
    @CsvSource({"false, RUN", "true, RUN", "false, FUTURE", "false, RESTARTING"})
    @Timeout(120)
    void main_thatAwaitsThePipeline_runsOnAfterASignal(boolean forEver, Wait wait) {
        try (PipeProcess subject =
                PipeProcess.startMain(Waiting.class.getName(), 64, Boolean.toString(forEver), wait.name())) {
            Awaitility.await().atMost(SOON).until(() -> subject.out().contains("running"));
            subject.signal("TERM");
            assertThat(subject.exitCode(SOON)).isEqualTo(143);
            assertThat(subject.out().lines())
                    .contains("told true", "returned true")
                    .hasSize(forEver ? 3 : 4);
        }
    }

    /** A program whose handler waits for main, while main exits the JVM. The wait never ends. */
    static final class Stuck {

        private Stuck() {}

        public static void main(String[] args) throws Exception {
            CountDownLatch atWork = new CountDownLatch(1);
            CountDownLatch ofMain = new CountDownLatch(1);
            RunningPipeline running = Source.single(1)
                    .mapBlocking(1, Ordering.input(), n -> {
                        atWork.countDown();
                        ofMain.await();
                        return n;
                    })
                    .to(Sink.ignore())
                    .run()
                    .onDrained(report -> System.out.println("left " + report.leftUndone()))
                    .drainOnShutdown(Duration.parse(args[0]));
            atWork.await();
            System.exit(running.completion().isDone() ? 1 : 7);
        }
    }

    @Test
    @Timeout(120)
    void exit_onMain_forWhichAHandlerWaits_endsAtTheDeadline() {
        try (PipeProcess subject = PipeProcess.startMain(
                Stuck.class.getName(), 64, Duration.ofSeconds(1).toString())) {
            assertThat(subject.exitCode(SOON)).as(subject.err()).isEqualTo(7);
            assertThat(subject.out()).contains("1 element was not done at the deadline");
        }
    }
}
