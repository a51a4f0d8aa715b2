package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.Ordering;
import dev.weir.stream.RunningPipeline;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests an exactly-once flow whose input topic is deleted and recreated under the same name. The partition usually
 * stays assigned, because the group's client does not notice.
 */
@Tag("long")
@Timeout(180)
class ExactlyOnceRecreatedTopicTest {

    private static final String AWAY = "-away";
    private static final String STAYS = "-stays";
    private static final String OUT = "-out";
    private static final Duration SOON = Duration.ofSeconds(30);

    /** The maximum time without a commit while the topic is missing: 12 s, and the time to read the inputs again. */
    private static final Duration BROKEN_OFF = Duration.ofSeconds(25);

    private static final int KEPT = 2_000;
    private static final int FREE = 4;
    private static final int OLD = 100;
    private static final int NEW_FROM = 10_000;
    private static final int NEW = 500;

    private static final int OUTSTANDING = 10;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(KafkaCluster.builder().brokerConfig("auto.create.topics.enable", "false"));

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch deleted = new CountDownLatch(1);
    private final CountDownLatch recreated = new CountDownLatch(1);

    // Regression: the run waited a minute, and never read the recreated topic.
    @ParameterizedTest
    @EnumSource
    void topicThatWasAwayForLong_isReadWhenItIsRecreated_andTheOtherIsCommittedMeanwhile(FetchPath path)
            throws Exception {
        String name = "away-" + path.name().toLowerCase(Locale.ROOT);
        try (RunningPipeline run = begin(name, path)) {
            await(reached);
            KAFKA.cluster().deleteTopic(name + AWAY);
            deleted.countDown();
            long further = NEW_FROM + 2L * NEW;
            Records.produce(KAFKA.bootstrapServers(), name + STAYS, further, NEW);
            ConsumerLedger.await(
                    "the other one is committed",
                    BROKEN_OFF,
                    () -> written(name).containsAll(numbers(further, NEW)));
            ConsumerHandle consumer = run.handles(ConsumerHandle.class).getFirst();
            ConsumerLedger.await(
                    () -> "it is named, or not assigned any more, not " + consumer.dump(),
                    SOON,
                    () -> isNamedOrGone(consumer.dump(), name + AWAY));
            KAFKA.cluster().createTopic(name + AWAY, 1);
            goOn(run, name, SOON);
        }
    }

    // Regression: the producers retried the commit for the deleted topic for a minute.
    @ParameterizedTest
    @EnumSource
    void topicThatIsRecreated_whileACommitWithItIsDue_holdsUpNoneForLong(FetchPath path) throws Exception {
        String name = "anew-" + path.name().toLowerCase(Locale.ROOT);
        try (RunningPipeline run = begin(name, path)) {
            await(reached);
            KAFKA.cluster().deleteTopic(name + AWAY);
            KAFKA.cluster().createTopic(name + AWAY, 1);
            deleted.countDown();
            goOn(run, name, SOON);
        }
    }

    /** Returns whether the client has noticed that the fetched topic was deleted. */
    private static boolean isNamedOrGone(ConsumerDump dump, String topic) {
        return dump.partitions().stream()
                .filter(partition -> partition.topic().equals(topic))
                .allMatch(partition -> String.valueOf(partition.trouble()).contains(topic + " does not exist"));
    }

    private RunningPipeline begin(String name, FetchPath path) throws Exception {
        List.of(AWAY, STAYS, OUT).forEach(topic -> KAFKA.cluster().createTopic(name + topic, 1));
        Records.produce(KAFKA.bootstrapServers(), name + STAYS, 0, KEPT);
        commitBeginnings(name, name + STAYS, name + AWAY);
        var settings = ConsumerLedger.settings(KAFKA.cluster(), name)
                .fetch(path)
                .outOfRange(OutOfRangePolicy.EARLIEST)
                .property("auto.offset.reset", "latest")
                .maxOutstandingRecords(OUTSTANDING);
        var producer = ProducerSettings.builder().bootstrapServers(KAFKA.bootstrapServers());
        RunningPipeline run = KafkaSource.from(settings.build(), name + STAYS, name + AWAY)
                .exactlyOnce()
                .commitInterval(Duration.ofMillis(20))
                .produceTo(
                        producer.build(),
                        records -> records.mapBlocking(2 * OLD, Ordering.unordered(), this::held)
                                .map(record -> new ProducerRecord<>(name + OUT, record.key(), record.value())))
                .run();
        // Commits one record at a time, so that each producer has committed offsets of the topic.
        TopicPartition id = new TopicPartition(name + AWAY, 0);
        for (long record = 0; record < FREE; record++) {
            Records.produce(KAFKA.bootstrapServers(), name + AWAY, KEPT + record, 1);
            long next = record + 1;
            ConsumerLedger.await(
                    "committed up to " + next,
                    SOON,
                    () -> KAFKA.cluster().committedOffsets(name).getOrDefault(id, 0L) == next);
        }
        Records.produce(KAFKA.bootstrapServers(), name + AWAY, KEPT + FREE, OLD);
        return run;
    }

    /**
     * Writes new records to both topics. Checks that all results arrive in time, and that the unchanged topic's results
     * occur once.
     */
    private void goOn(RunningPipeline run, String name, Duration within) throws Exception {
        Records.produce(KAFKA.bootstrapServers(), name + AWAY, NEW_FROM, NEW);
        Records.produce(KAFKA.bootstrapServers(), name + STAYS, NEW_FROM + NEW, NEW);
        recreated.countDown();
        Set<Long> all = numbers(NEW_FROM, 2 * NEW);
        all.addAll(numbers(0, KEPT));
        ConsumerLedger.await(
                () -> "all is written, of " + all.size() + " now "
                        + written(name).size() + ", "
                        + run.handles(ConsumerHandle.class).getFirst().dump(),
                within,
                () -> written(name).containsAll(all));
        assertThat(run.drain(Duration.ofSeconds(30)).leftUndone()).isEmpty();
        // Duplicates are results of the new topic that were written before the recreation was noticed.
        assertThat(ExactlyOnceLedger.committed(KAFKA.cluster(), name + OUT).stream()
                        .filter(number -> number < KEPT || number >= NEW_FROM + NEW))
                .doesNotHaveDuplicates();
    }

    private static Set<Long> written(String name) {
        return new HashSet<>(ExactlyOnceLedger.committed(KAFKA.cluster(), name + OUT));
    }

    private static Set<Long> numbers(long from, long count) {
        return LongStream.range(from, from + count).boxed().collect(Collectors.toCollection(HashSet::new));
    }

    private static void commitBeginnings(String group, String... topics) throws Exception {
        Map<TopicPartition, OffsetAndMetadata> beginnings = Stream.of(topics)
                .collect(Collectors.toMap(topic -> new TopicPartition(topic, 0), topic -> new OffsetAndMetadata(0)));
        KAFKA.cluster()
                .admin()
                .alterConsumerGroupOffsets(group, beginnings)
                .all()
                .get(60, TimeUnit.SECONDS);
    }

    /** Holds the deleted topic's records: one until the deletion, and all later ones until the recreation. */
    private ConsumerRecord<byte[], byte[]> held(ConsumerRecord<byte[], byte[]> record) throws InterruptedException {
        if (record.topic().endsWith(AWAY)) {
            if (record.offset() == FREE) {
                reached.countDown();
                await(deleted);
            } else if (record.offset() > FREE) {
                await(recreated);
            }
        }
        return record;
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
    }
}
