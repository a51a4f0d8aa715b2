package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OnClose;
import dev.weir.stream.Ordering;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests stops on a platform that kills a process after eight seconds. The drain may use five of them. */
class StopBudgetTest {

    private static final Duration PLATFORM = Duration.ofSeconds(8);
    private static final Duration DRAIN = Duration.ofSeconds(5);
    private static final Duration SOON = Duration.ofMinutes(1);

    /** The exit code after SIGTERM. */
    private static final int TERMINATED = 143;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    @TempDir
    private Path folder;

    /** A member that commits only at its end. Uncommitted records are redelivered. */
    static final class Member {

        private Member() {}

        /**
         * Takes the bootstrap servers, the topic (also the group's name), the file, the numbers whose handlers never
         * end, and {@code "deaf"} if these handlers also ignore interrupts.
         */
        public static void main(String[] args) throws InterruptedException {
            Path file = Path.of(args[2]);
            Set<String> held = Set.of(args[3].split(","));
            boolean deaf = args[4].equals("deaf");
            var settings = ConsumerSettings.builder()
                    .bootstrapServers(args[0])
                    .groupId(args[1])
                    .property("group.instance.id", "stopped")
                    .onClose(OnClose.REMAIN)
                    .commitInterval(Duration.ofMinutes(10))
                    .build();
            KafkaSource.from(settings, args[1])
                    .atLeastOnce()
                    .mapBlocking(16, Ordering.unordered(), record -> {
                        String number = new String(record.value(), StandardCharsets.US_ASCII);
                        if (held.contains(number) && deaf) {
                            new CompletableFuture<Void>().join();
                        } else if (held.contains(number)) {
                            new CountDownLatch(1).await();
                        }
                        // A single call, so that a kill cannot leave half a line.
                        return Files.writeString(
                                file, number + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                    })
                    .to(Sink.ignore())
                    .run()
                    .drainOnShutdown(DRAIN)
                    .await();
        }
    }

    private static PipeProcess member(String topic, Path handled, String held, String hearing) {
        return PipeProcess.startMain(
                Member.class.getName(), 256, KAFKA.bootstrapServers(), topic, handled.toString(), held, hearing);
    }

    private static PipeProcess member(Path handled, String held) {
        return member("held", handled, held, "hears");
    }

    private static void awaitLines(Path file, int count, PipeProcess member) {
        awaitLines(file, lines -> lines.size() == count, member);
    }

    private static void awaitLines(Path file, Predicate<List<String>> enough, PipeProcess member) {
        Awaitility.await()
                .atMost(SOON)
                .until(() -> (Files.exists(file) && enough.test(Files.readAllLines(file))) || !member.isAlive());
        assertThat(member.isAlive()).as(member.err()).isTrue();
    }

    private static void assertTermEnds(PipeProcess member) {
        member.signal("TERM");
        assertThat(member.exitCode(SOON)).as(member.err()).isEqualTo(TERMINATED);
    }

    @Test
    @Tag("long")
    @Timeout(240)
    void drain_withHandlersThatNeverEnd_repeatsOnlyThose() throws Exception {
        int count = 1_000;
        KAFKA.cluster().createTopic("held", 4);
        Records.produce(KAFKA.bootstrapServers(), "held", 0, count, count);
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        try (PipeProcess member = member(first, "7,150,151")) {
            awaitLines(first, count - 3, member);
            assertTermEnds(member);
        }
        try (PipeProcess member = member(second, "none")) {
            awaitLines(second, 3, member);
            assertTermEnds(member);
        }
        assertThat(Files.readAllLines(second)).containsExactlyInAnyOrder("7", "150", "151");
        assertThat(KAFKA.cluster().committedOffsets("held"))
                .isEqualTo(KAFKA.cluster().endOffsets("held"));
    }

    /** The drain takes five seconds, and the handlers never end. The kill follows three seconds later. */
    @Test
    @Tag("long")
    @Timeout(240)
    void kill_ofHandlersThatDoNotLetGo_losesNothing_andRepeatsNothingThatWasCommitted() throws Exception {
        KAFKA.cluster().createTopic("killed", 4);
        Records.produce(KAFKA.bootstrapServers(), "killed", 0, 1_000, 1_000);
        Path committed = folder.resolve("committed");
        Path killed = folder.resolve("killed");
        Path rest = folder.resolve("rest");
        try (PipeProcess member = member("killed", committed, "none", "hears")) {
            awaitLines(committed, 1_000, member);
            assertTermEnds(member);
        }
        Records.produce(KAFKA.bootstrapServers(), "killed", 1_000, 500, 2_000);
        List<String> held = List.of("1007", "1150", "1151");
        try (PipeProcess member = member("killed", killed, String.join(",", held), "deaf")) {
            awaitLines(killed, 500 - held.size(), member);
            member.signal("TERM");
            assertThat(member.endsWithin(PLATFORM)).as(member.err()).isFalse();
            member.kill();
        }
        try (PipeProcess member = member("killed", rest, "none", "hears")) {
            awaitLines(rest, lines -> lines.containsAll(held), member);
            assertTermEnds(member);
        }
        assertThat(Files.readAllLines(rest))
                .doesNotHaveDuplicates()
                .allMatch(number -> Integer.parseInt(number) >= 1_000);
    }

    @Test
    @Timeout(240)
    void pipe_thatIsStoppedInMidFlow_losesNothing_andRepeatsNothing() throws Exception {
        int count = 60_000;
        KAFKA.cluster().createTopic("load-in", 4);
        KAFKA.cluster().createTopic("load-out", 4);
        Records.produce(KAFKA.bootstrapServers(), "load-in", 0, count, count);
        Path config = folder.resolve("client.properties");
        Files.writeString(config, "group.instance.id=load\nweir.on.close=remain\n");
        List<String> arguments = List.of(
                "pipe",
                "--bootstrap-server",
                KAFKA.bootstrapServers(),
                "--from",
                "load-in",
                "--to",
                "load-out",
                "--group",
                "load",
                "--work",
                "2ms",
                "--concurrency",
                "64",
                "--client-config",
                config.toString(),
                "--drain-timeout",
                SOON.toSeconds() + "s",
                "--json");
        try (PipeProcess pipe = PipeProcess.start(arguments.toArray(String[]::new))) {
            Awaitility.await().atMost(SOON).until(() -> written() >= 5_000 || !pipe.isAlive());
            assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
            pipe.signal("TERM");
            assertThat(pipe.exitCode(SOON.multipliedBy(2))).as(pipe.err()).isZero();
        }
        var rest = new ArrayList<>(arguments);
        rest.add("--until-end");
        assertThat(WeirCommand.output(rest.toArray(String[]::new))).contains("\"drained\":true");
        List<Long> output =
                Records.numbers(Records.readAll(KAFKA.bootstrapServers(), "load-out", IsolationLevel.READ_UNCOMMITTED));
        assertThat(output).hasSize(count).doesNotHaveDuplicates();
    }

    private static long written() {
        return KAFKA.cluster().endOffsets("load-out").values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }
}
