package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.CommitMetadata;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ends a pipe in the middle of its work, and tests what the next one finds. */
class PipeRestartTest {

    private static final int KEYS = 1000;

    /** The time limit for a process to start, join its group and do its work. Usually it takes far less time. */
    private static final Duration START = Duration.ofMinutes(1);

    /** By default, 16,384 unfinished records for each of 6 partitions, plus one poll of 5,000 records each. */
    private static final long MOST_OUTSTANDING = 6 * (16_384 + 5_000);

    private static KafkaCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startCluster() {
        cluster = KafkaCluster.builder().start();
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    @Timeout(180)
    void kill_threeTimes_losesNothingAndRepeatsOnlyWhatWasNotCommitted() throws Exception {
        int count = 36_000;
        createTopics("kill", count);
        // The successor of a static member takes over immediately.
        Path config = folder.resolve("client.properties");
        String threads = OnLeanPath.threads() == 1 ? "" : "weir.fetch.threads=" + OnLeanPath.threads();
        Files.writeString(config, "group.instance.id=pipe-1\n" + threads);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long written = 0;
        long noted = 0;
        for (int kill = 1; kill <= 3; kill++) {
            long until = written + 2_000 + random.nextInt(6_000);
            try (PipeProcess pipe = start("kill", "1ms", 32, "--client-config", config.toString())) {
                awaitWritten("kill-out", until, pipe);
                pipe.kill();
            }
            long repeats = -(written - noted);
            written = settled("kill-out");
            noted = noted("kill");
            repeats += written - noted;
            assertThat(repeats)
                    .as("written by run %s and not noted in a commit; seed %s", kill, seed)
                    .isBetween(0L, MOST_OUTSTANDING);
        }
        String summary = WeirCommand.output(
                args("kill", "0ms", 32, "--until-end", "--json", "--client-config", config.toString()));

        assertThat(summary).contains("\"drained\":true", "\"left_undone\":[]");
        assertThat(cluster.committedOffsets("kill")).isEqualTo(cluster.endOffsets("kill-in"));
        List<ConsumerRecord<byte[], byte[]>> output = output("kill-out");
        assertThat(new HashSet<>(Records.numbers(output)))
                .as("distinct; seed %s", seed)
                .hasSize(count);
        // Runs 1 to 3 wrote `written` records, and `noted` of them were committed as finished. The last run wrote all
        // others once.
        assertThat(output.size() - count).as("duplicates; seed %s", seed).isEqualTo((int) (written - noted));
        assertFirstOccurrencesAreInOrder(output);
    }

    @Test
    @Tag("long")
    @Timeout(120)
    void kill_atMostOnce_repeatsNothing_andLosesNoMoreThanWasCommittedAhead() throws Exception {
        int count = 60_000;
        createTopics("most", count);
        Path config = folder.resolve("client.properties");
        Files.writeString(config, "group.instance.id=pipe-1\n");
        String[] most = {"--guarantee", "at-most-once", "--client-config", config.toString()};
        try (PipeProcess pipe = start("most", "1ms", 32, most)) {
            awaitWritten("most-out", 10_000, pipe);
            pipe.kill();
        }
        long written = settled("most-out");
        long committed = sum(cluster.committedOffsets("most"));
        assertThat(committed).as("committed before it is written").isBetween(written, written + 5_000);
        List<String> rest = new ArrayList<>(List.of("--until-end", "--json"));
        rest.addAll(List.of(most));
        String summary = WeirCommand.output(args("most", "0ms", 32, rest.toArray(String[]::new)));
        assertThat(summary).contains("\"guarantee\":\"at-most-once\"", "\"drained\":true");
        List<Long> numbers = Records.numbers(output("most-out"));
        assertThat(numbers).doesNotHaveDuplicates();
        assertThat((long) numbers.size()).isEqualTo(count - (committed - written));
    }

    @Test
    @Timeout(120)
    void kill_withRecordsThatNeverEnd_repeatsOnlyThose() throws Exception {
        int count = 3_000;
        cluster.createTopic("holes", 2);
        Records.produce(cluster.bootstrapServers(), "holes", 0, count, KEYS);
        Path first = folder.resolve("first");
        Path second = folder.resolve("second");
        try (PipeProcess member = holding(first, "7,1500,1501")) {
            Awaitility.await().atMost(START).until(() -> noted("holes") == count - 3 || !member.isAlive());
            assertThat(sum(cluster.committedOffsets("holes"))).isLessThan(count - 3);
            member.kill();
        }
        assertThat(Files.readAllLines(first)).hasSize(count - 3);
        try (PipeProcess member = holding(second, "none")) {
            Awaitility.await()
                    .atMost(START)
                    .until(() ->
                            cluster.committedOffsets("holes").equals(cluster.endOffsets("holes")) || !member.isAlive());
        }
        assertThat(Files.readAllLines(second)).containsExactlyInAnyOrder("7", "1500", "1501");
    }

    private static PipeProcess holding(Path handled, String held) {
        return PipeProcess.startMain(
                HoldingMember.class.getName(), 256, cluster.bootstrapServers(), "holes", handled.toString(), held);
    }

    @Test
    @Timeout(120)
    void terminate_underLoad_drainsSoThatARestartRepeatsNothing() throws Exception {
        int count = 40_000;
        createTopics("term", count);
        try (PipeProcess pipe = start("term", "2ms", 64, "--json")) {
            awaitWritten("term-out", 5_000, pipe);
            pipe.signal("TERM");
            assertThat(pipe.exitCode(Duration.ofSeconds(40))).as(pipe.err()).isZero();
            assertThat(pipe.out()).contains("\"drained\":true");
            assertThat(sum(cluster.committedOffsets("term"))).isEqualTo(settled("term-out"));
            assertThat(settled("term-out")).as("stopped in the middle").isLessThan(count);
        }
        WeirCommand.output(args("term", "0ms", 64, "--until-end", "--json"));

        assertThat(Records.numbers(output("term-out")).stream().sorted().toList())
                .isEqualTo(LongStream.range(0, count).boxed().toList());
        assertThat(cluster.committedOffsets("term")).isEqualTo(cluster.endOffsets("term-in"));
    }

    @Test
    @Timeout(60)
    void drain_thatExceedsItsTimeout_saysWhatIsUndoneAndFails() {
        createTopics("late", 100);
        try (PipeProcess pipe = start("late", "1h", 8, "--drain-timeout", "1s")) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> pipe.err().contains("in 100 ") || !pipe.isAlive());
            pipe.signal("INT");
            assertThat(pipe.exitCode(Duration.ofSeconds(20))).isEqualTo(1);
            assertThat(pipe.err())
                    .contains("not drained", "unfinished", "late-in-")
                    .doesNotContain("\tat ");
        }
    }

    private static void createTopics(String name, int records) {
        cluster.createTopic(name + "-in", 6);
        cluster.createTopic(name + "-out", 6);
        Records.produce(cluster.bootstrapServers(), name + "-in", 0, records, KEYS);
    }

    private static PipeProcess start(String name, String work, int concurrency, String... more) {
        return PipeProcess.start(args(name, work, concurrency, more));
    }

    private static String[] args(String name, String work, int concurrency, String... more) {
        String fixed = "pipe --bootstrap-server " + cluster.bootstrapServers() + " --from " + name + "-in --to " + name
                + "-out --group " + name + " --work " + work + " --concurrency " + concurrency + " --fetch "
                + OnLeanPath.current().name().toLowerCase(Locale.ROOT) + " --produce "
                + OnLeanProducing.current().name().toLowerCase(Locale.ROOT);
        return Stream.concat(Arrays.stream(fixed.split(" ")), Arrays.stream(more))
                .toArray(String[]::new);
    }

    private static void awaitWritten(String topic, long records, PipeProcess pipe) {
        Awaitility.await()
                .atMost(START)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> sum(cluster.endOffsets(topic)) >= records || !pipe.isAlive());
        assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
    }

    /** Returns the number of records once it has stopped growing. */
    private static long settled(String topic) {
        AtomicLong last = new AtomicLong(-1);
        Awaitility.await().atMost(START).pollInterval(Duration.ofMillis(200)).until(() -> {
            long now = sum(cluster.endOffsets(topic));
            return last.getAndSet(now) == now;
        });
        return last.get();
    }

    /**
     * Returns the number of records that the group's commits list as finished, before and after the committed offsets.
     */
    private static long noted(String group) throws Exception {
        long noted = 0;
        for (OffsetAndMetadata commit : cluster.admin()
                .listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get()
                .values()) {
            noted += commit.offset() + CommitMetadata.finishedPast(commit.offset(), commit.metadata());
        }
        return noted;
    }

    private static long sum(Map<?, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    private static List<ConsumerRecord<byte[], byte[]>> output(String topic) {
        return Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
    }

    private static void assertFirstOccurrencesAreInOrder(List<ConsumerRecord<byte[], byte[]>> output) {
        Set<Long> seen = new HashSet<>();
        Map<Long, Long> lastOfKey = new HashMap<>();
        for (long number : Records.numbers(output)) {
            if (seen.add(number)) {
                Long before = lastOfKey.put(number % KEYS, number);
                assertThat(before == null || before < number)
                        .as("%s after %s", number, before)
                        .isTrue();
            }
        }
    }
}
