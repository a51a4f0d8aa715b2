package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how a member leaves its group. Sessions last longer than a test. */
class OnCloseTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final String SESSION_MILLIS = "300000";
    private static final int RECORDS = 1_000;

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder()
            .brokerConfig("group.consumer.max.session.timeout.ms", SESSION_MILLIS)
            .brokerConfig("group.consumer.session.timeout.ms", SESSION_MILLIS)
            .brokerConfig("group.consumer.min.heartbeat.interval.ms", "300")
            .brokerConfig("group.consumer.heartbeat.interval.ms", "300"));

    private final ConsumerLedger ledger = new ConsumerLedger(2 * RECORDS);

    private static ConsumerSettings.Builder<byte[], byte[]> settings(String group, String protocol) {
        var settings = ConsumerLedger.settings(KAFKA.cluster(), group).property("group.protocol", protocol);
        return protocol.equals("consumer")
                ? settings
                : settings.property("session.timeout.ms", SESSION_MILLIS).property("heartbeat.interval.ms", "300");
    }

    private Pipeline pipeline(ConsumerSettings<byte[], byte[]> settings, String topic) {
        return KafkaSource.from(settings, Subscription.topics(topic))
                .atLeastOnce()
                .to(Sink.forEach(ledger::handled));
    }

    private static Set<TopicPartition> partitions(RunningPipeline running) {
        return snapshot(running).partitions().stream()
                .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                .collect(Collectors.toSet());
    }

    private static ConsumerSnapshot snapshot(RunningPipeline running) {
        return running.handles(ConsumerHandle.class).get(0).snapshot();
    }

    private static List<MemberDescription> members(String group) {
        try {
            return List.copyOf(KAFKA.cluster()
                    .admin()
                    .describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .get(group)
                    .get()
                    .members());
        } catch (Exception e) {
            throw new AssertionError("cannot describe " + group, e);
        }
    }

    /** Two members share four partitions, and one of them ends. Checks the group's description. */
    @ParameterizedTest
    @Timeout(180)
    @CsvSource({
        "classic,CLIENT,DEFAULT,false,drain,leaves",
        "classic,CLIENT,DEFAULT,true,drain,remains",
        "classic,LEAN,LEAVE,true,drain,leaves",
        "classic,LEAN,REMAIN,false,failure,remains",
        "consumer,CLIENT,DEFAULT,true,drain,remains",
        "consumer,CLIENT,REMAIN,false,drain,leaves",
        "consumer,LEAN,LEAVE,true,failure,leaves"
    })
    void member_thatEnds_leavesOrRemains(
            String protocol, FetchPath fetch, OnClose onClose, boolean isStatic, String end, String outcome)
            throws InterruptedException {
        String topic = String.join("-", "ends", protocol, fetch.name(), onClose.name(), "" + isStatic, end);
        KAFKA.cluster().createTopic(topic, 4);
        var settings = settings(topic, protocol).fetch(fetch);
        Pipeline staying = pipeline(settings.build(), topic);
        settings.onClose(onClose);
        if (isStatic) {
            settings.property("group.instance.id", "ending");
        }
        Pipeline ending = KafkaSource.from(settings.build(), Subscription.topics(topic))
                .atLeastOnce()
                .to(Sink.forEach(record -> {
                    throw new IllegalStateException("meant");
                }));
        try (RunningPipeline stays = staying.run();
                RunningPipeline ends = ending.run()) {
            awaitTwoEach(stays, ends);
            if (end.equals("failure")) {
                Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS, RECORDS);
                ConsumerLedger.await("failed", SOON, () -> ends.completion().isCompletedExceptionally());
            } else {
                ends.drain(SOON);
            }
            if (outcome.equals("remains")) {
                assertThat(members(topic)).hasSize(2);
                assertThat(partitions(stays)).hasSize(2);
            } else {
                ConsumerLedger.await(
                        "all partitions", SOON, () -> partitions(stays).size() == 4);
                assertThat(members(topic)).hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @Tag("long")
    @Timeout(180)
    @CsvSource({
        "classic,CLIENT,LEAVE,true,drain,leaves",
        "classic,CLIENT,LEAVE,true,failure,leaves",
        "classic,CLIENT,REMAIN,false,drain,remains",
        "consumer,CLIENT,DEFAULT,false,drain,leaves",
        "consumer,CLIENT,LEAVE,true,drain,leaves"
    })
    void member_thatEndsOtherwise_leavesOrRemains(
            String protocol, FetchPath fetch, OnClose onClose, boolean isStatic, String end, String outcome)
            throws InterruptedException {
        member_thatEnds_leavesOrRemains(protocol, fetch, onClose, isStatic, end, outcome);
    }

    private static void awaitTwoEach(RunningPipeline one, RunningPipeline other) {
        ConsumerLedger.await(
                "two each",
                SOON,
                () -> partitions(one).size() == 2 && partitions(other).size() == 2);
    }

    @ParameterizedTest
    @Timeout(180)
    @CsvSource({"classic,LEAN", "consumer,CLIENT"})
    void staticMember_thatRemains_restartsUnnoticedByTheOthers(String protocol, FetchPath fetch)
            throws InterruptedException {
        String topic = "remains-" + protocol + "-" + fetch;
        KAFKA.cluster().createTopic(topic, 4);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS, RECORDS);
        var settings = settings(topic, protocol).fetch(fetch).onClose(OnClose.REMAIN);
        Pipeline first =
                pipeline(settings.property("group.instance.id", "first").build(), topic);
        Pipeline second =
                pipeline(settings.property("group.instance.id", "second").build(), topic);
        try (RunningPipeline stays = first.run();
                RunningPipeline restarts = second.run()) {
            awaitTwoEach(stays, restarts);
            ledger.awaitSeen(RECORDS, SOON);
            int rebalances = snapshot(stays).rebalances();
            Set<TopicPartition> before = Set.copyOf(partitions(restarts));
            restarts.drain(SOON);
            assertThat(members(topic))
                    .extracting(member -> member.groupInstanceId().orElse(""))
                    .containsExactlyInAnyOrder("first", "second");
            try (RunningPipeline again = second.run()) {
                ConsumerLedger.await(
                        "its partitions again", SOON, () -> partitions(again).equals(before));
                Records.produce(KAFKA.bootstrapServers(), topic, RECORDS, RECORDS, RECORDS);
                ledger.awaitSeen(2 * RECORDS, SOON);
            }
            assertThat(snapshot(stays).rebalances()).isEqualTo(rebalances);
        }
        assertThat(ledger.duplicates()).isZero();
    }

    @ParameterizedTest
    @Tag("long")
    @Timeout(180)
    @CsvSource({"classic,CLIENT", "consumer,LEAN"})
    void staticMember_thatRemains_onTheOtherPath_restartsUnnoticedByTheOthers(String protocol, FetchPath fetch)
            throws InterruptedException {
        staticMember_thatRemains_restartsUnnoticedByTheOthers(protocol, fetch);
    }
}
