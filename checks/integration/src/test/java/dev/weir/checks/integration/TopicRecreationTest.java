package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.checks.integration.LostLogCase.GroupState;
import dev.weir.checks.integration.LostLogReader.Seen;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a topic that is deleted and recreated under the same name, while processes read and write it and another topic.
 * Regression: a process frozen during the recreation silently skipped half of the new topic.
 */
class TopicRecreationTest {

    private static final int PARTITIONS = 4;
    private static final int CALM_PARTITIONS = 2;
    private static final int OLD = 1_000;
    private static final int NEW = 2_000;
    private static final Duration SOON = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    @TempDir
    private Path folder;

    private String doomed = "";
    private String calm = "";

    @SuppressWarnings("NullAway.Init") // each test starts one
    private PipeProcess process;

    @Test
    @Timeout(400)
    void newTopic_underTheNameOfTheOld_whileTheProcessStandsStill_isReadWholeOrFailsTheRun() throws Exception {
        GroupState state = GroupState.FROZEN;
        recreate(
                state,
                Stream.of(
                                "classic client FAIL",
                                "consumer client EARLIEST",
                                "classic lean NEAREST",
                                "consumer lean FAIL")
                        .map(words -> LostLogCase.of(words + " " + state))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource
    @Tag("long")
    @Timeout(900)
    void newTopic_inEachCombination_isReadWholeOrFailsTheRun(GroupState state) throws Exception {
        recreate(state, LostLogCase.all(state));
    }

    private void recreate(GroupState state, List<LostLogCase> cases) throws Exception {
        doomed = "doomed-" + state + "-" + cases.size();
        calm = "calm-" + state + "-" + cases.size();
        KAFKA.cluster().createTopic(doomed, PARTITIONS);
        KAFKA.cluster().createTopic(calm, CALM_PARTITIONS);
        fill("old", OLD);
        List<RecreationReader> readers =
                cases.stream().map(each -> new RecreationReader(each, folder)).toList();
        process = start(readers);
        SteadyLoad ofCalm = new SteadyLoad(KAFKA.bootstrapServers(), calm, CALM_PARTITIONS);
        try {
            awaitAll(
                    "all old records are read and some calm ones",
                    readers,
                    reader -> reader.seen(doomed).size() >= OLD * PARTITIONS
                            && !reader.seen(calm).isEmpty());
            change(state, readers);
            assertThat(awaitVerdicts(readers, newLog()))
                    .as("not read; of %s cases", cases.size())
                    .isEmpty();
            ofCalm.stop();
            long written = KAFKA.cluster().endOffsets(calm).values().stream()
                    .mapToLong(Long::longValue)
                    .sum();
            awaitAll(
                    "all calm records are read",
                    readers,
                    reader -> reader.failure() != null || reader.seen(calm).size() >= written);
        } finally {
            process.close();
            ofCalm.stop();
        }
    }

    private PipeProcess start(List<RecreationReader> readers) {
        List<String> arguments =
                new ArrayList<>(List.of(KAFKA.bootstrapServers(), folder.toString(), doomed + "," + calm));
        readers.forEach(reader -> arguments.add(reader.name()));
        return PipeProcess.startMain(RecreationMember.class.getName(), 512, arguments.toArray(String[]::new));
    }

    /** Deletes the topic under load and recreates it. Returns when its readers may continue. */
    private void change(GroupState state, List<RecreationReader> readers) throws Exception {
        SteadyLoad ofDoomed = new SteadyLoad(KAFKA.bootstrapServers(), doomed, PARTITIONS);
        try {
            switch (state) {
                case RUNNING -> {}
                case FROZEN -> process.signal("STOP");
                case STOPPED -> stop();
            }
            KAFKA.cluster().deleteTopic(doomed);
            KAFKA.cluster().createTopic(doomed, PARTITIONS);
            fill("new", NEW);
            switch (state) {
                case RUNNING -> {}
                case FROZEN -> process.signal("CONT");
                case STOPPED -> process = start(readers);
            }
        } finally {
            ofDoomed.stop();
        }
    }

    private void stop() {
        process.signal("TERM");
        assertThat(process.exitCode(Duration.ofSeconds(40))).as(process.err()).isEqualTo(128 + 15);
        process.close();
    }

    private void fill(String era, int records) throws Exception {
        try (LostLogWriter writer = new LostLogWriter(KAFKA.bootstrapServers())) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                writer.write(new TopicPartition(doomed, partition), era, records);
            }
        }
    }

    /** Returns all records of the new topic. Nothing writes to it any more. */
    private Set<Seen> newLog() {
        return Records.readAll(KAFKA.bootstrapServers(), doomed, IsolationLevel.READ_UNCOMMITTED).stream()
                .map(record -> new Seen(
                        new TopicPartition(doomed, record.partition()),
                        record.offset(),
                        new String(record.value(), StandardCharsets.US_ASCII)))
                .collect(Collectors.toSet());
    }

    private static void awaitAll(String what, List<RecreationReader> readers, Predicate<RecreationReader> condition) {
        ConsumerLedger.await(
                () -> what + ", but not by "
                        + readers.stream()
                                .filter(condition.negate())
                                .map(reader -> reader + " " + reader.failure())
                                .toList(),
                SOON,
                () -> readers.stream().allMatch(condition));
    }

    private Map<String, String> awaitVerdicts(List<RecreationReader> readers, Set<Seen> log) throws Exception {
        long deadline = System.nanoTime() + SOON.toNanos();
        Map<String, String> missing = missing(readers, log);
        while (!missing.isEmpty() && System.nanoTime() < deadline) {
            fill("late", 1);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
            missing = missing(readers, log);
        }
        return missing;
    }

    private Map<String, String> missing(List<RecreationReader> readers, Set<Seen> log) {
        Map<String, String> missing = new TreeMap<>();
        for (RecreationReader reader : readers) {
            String of = missing(reader, reader.parameters().policy(), log);
            if (of != null) {
                missing.put(reader.toString(), of);
            }
        }
        return missing;
    }

    private @Nullable String missing(RecreationReader reader, OutOfRangePolicy policy, Set<Seen> log) {
        String failure = reader.failure();
        boolean place = failure != null && failure.contains(doomed + "-") && failure.contains("@");
        if (policy == OutOfRangePolicy.FAIL && place) {
            return null;
        }
        if (failure != null) {
            return failure;
        }
        Set<Seen> seen = reader.seen(doomed);
        if (policy == OutOfRangePolicy.LATEST) {
            long goingOn = seen.stream()
                    .filter(each -> each.isOf("late"))
                    .map(Seen::partition)
                    .distinct()
                    .count();
            return goingOn == PARTITIONS ? null : "goes on in " + goingOn + " partitions";
        }
        Set<Seen> unseen = new HashSet<>(log);
        unseen.removeAll(seen);
        return unseen.isEmpty() ? null : "runs, and never saw " + unseen.size() + " of " + log.size();
    }
}
