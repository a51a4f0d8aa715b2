package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.HandledFlow;
import dev.weir.kafka.KafkaFlow;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordOrdering;
import dev.weir.stream.Backoff;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the reassignment of a partition whose records wait for their handler, at a breaker or between two attempts. */
class RevokedWaitsTest {

    private static final int RECORDS = 600;

    /** The number of records at the start. Each new member adds as many. */
    private static final int PART = RECORDS / 4;

    private static final Duration SOON = Duration.ofSeconds(40);
    private static final Duration SERVICE_IS_AWAY = Duration.ofSeconds(3);

    /** Longer than the time limit of any test. */
    private static final Duration LONG = Duration.ofMinutes(2);

    @RegisterExtension
    static final KafkaClusterExtension KAFKA =
            new KafkaClusterExtension(GroupLoad.quickGroups().brokerConfig("group.initial.rebalance.delay.ms", "0"));

    private final ConsumerLedger ledger = new ConsumerLedger(RECORDS);

    /** The records handled by members with an available service. */
    private final Set<String> handled = ConcurrentHashMap.newKeySet();

    /** Records that other members' handlers got although they were in {@link #handled}. */
    private final Queue<String> late = new ConcurrentLinkedQueue<>();

    private static ConsumerSettings<byte[], byte[]> settings(
            GroupLoad.Protocol protocol, String group, Duration revokeDeadline) {
        return GroupLoad.settings(KAFKA.cluster(), protocol, group).toBuilder()
                .revokeDeadline(revokeDeadline)
                .build();
    }

    private void well(ConsumerRecord<byte[], byte[]> record) {
        handled.add(record.partition() + "@" + record.offset());
        ledger.handled(record);
    }

    private void away(ConsumerRecord<byte[], byte[]> record) {
        String place = record.partition() + "@" + record.offset();
        if (handled.contains(place)) {
            late.add(place);
        }
        throw new IllegalStateException("the service is away");
    }

    private HandledFlow<byte[], byte[], ?> flow(
            ConsumerSettings<byte[], byte[]> settings, String topic, boolean async, AtomicInteger calls) {
        KafkaFlow<byte[], byte[]> from = KafkaFlow.from(settings, topic);
        return async
                ? from.handleAsync(8, RecordOrdering.byPartition(), record -> {
                    calls.incrementAndGet();
                    away(record);
                    return CompletableFuture.completedFuture(record);
                })
                : from.forEach(8, RecordOrdering.byPartition(), record -> {
                    calls.incrementAndGet();
                    away(record);
                });
    }

    // Regression: handlers began records that their new owner had already handled, or the new owner waited for the
    // deadline.
    @ParameterizedTest
    @CsvSource({"false, BREAKER, PT0.3S", "true, RETRY, PT2M"})
    void memberJoins_whileCallsWait_workNotBegunIsDroppedAtOnce(boolean async, String waits, Duration revokeDeadline)
            throws Exception {
        String topic = "waits-" + async + waits + revokeDeadline.toSeconds();
        KAFKA.cluster().createTopic(topic, 2);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, RECORDS);
        var settings = settings(GroupLoad.Protocol.EAGER, topic, revokeDeadline);
        AtomicInteger calls = new AtomicInteger();
        Backoff pause = Backoff.between(SERVICE_IS_AWAY, SERVICE_IS_AWAY).withJitter(0);
        CircuitBreaker breaker = CircuitBreaker.consecutive(1, SERVICE_IS_AWAY);
        HandledFlow<byte[], byte[], ?> first = flow(settings, topic, async, calls)
                .retry(RetryPolicy.of(1_000, waits.equals("RETRY") ? pause : Backoff.NONE));
        if (waits.equals("BREAKER")) {
            first = first.breaker(breaker);
        }
        try (RunningPipeline waiting = first.pipeline().named("waiting").run()) {
            ConsumerLedger.await("called", SOON, () -> calls.get() > 0);
            try (RunningPipeline second = KafkaSource.from(settings, topic)
                    .atLeastOnce()
                    .to(Sink.forEach(this::well))
                    .run()) {
                ConsumerLedger.await("taken over", SOON, () -> !handled.isEmpty());
                // The member makes two more attempts for its remaining partition, and none for the revoked one.
                int before = calls.get();
                ConsumerLedger.await("tried again", SOON, () -> calls.get() >= before + 2);
                waiting.cancel();
                ledger.awaitSeen(RECORDS, SOON);
                assertThat(second.completion()).isNotDone();
            }
        }
        assertThat(late).as("begun on what the new owner had handled").isEmpty();
        assertThat(ledger.duplicates()).isZero();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "false, BREAKER, PT2M", "true, BREAKER, PT0.3S", "true, BREAKER, PT2M",
        "false, RETRY, PT0.3S", "false, RETRY, PT2M", "true, RETRY, PT0.3S"
    })
    void memberJoins_whileCallsWaitOtherwise_workNotBegunIsDroppedAtOnce(
            boolean async, String waits, Duration revokeDeadline) throws Exception {
        memberJoins_whileCallsWait_workNotBegunIsDroppedAtOnce(async, waits, revokeDeadline);
    }

    private RunningPipeline behindBreaker(
            ConsumerSettings<byte[], byte[]> settings, String topic, CircuitBreaker breaker) {
        return KafkaFlow.from(settings, topic)
                .forEach(8, RecordOrdering.byPartition(), this::away)
                .retry(RetryPolicy.of(1_000_000, Backoff.NONE))
                .breaker(breaker)
                .run();
    }

    @ParameterizedTest
    @EnumSource(names = "COOPERATIVE")
    void rollingRestart_withBreakersOpen_losesNothingAndOldMembersBeginNothingLate(GroupLoad.Protocol protocol)
            throws Exception {
        String topic = "breaker-" + protocol;
        KAFKA.cluster().createTopic(topic, 6);
        Records.produce(KAFKA.bootstrapServers(), topic, 0, PART);
        var settings = settings(protocol, topic, LONG);
        List<CircuitBreaker> breakers = new ArrayList<>();
        List<RunningPipeline> old = new ArrayList<>();
        List<RunningPipeline> renewed = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                CircuitBreaker breaker = CircuitBreaker.consecutive(1, Duration.ofMillis(700));
                breakers.add(breaker);
                old.add(behindBreaker(settings, topic, breaker));
            }
            ConsumerLedger.await(
                    "all open",
                    SOON,
                    () -> breakers.stream()
                            .allMatch(breaker -> breaker.snapshot().timesOpened() > 0));
            for (int i = 0; i < 3; i++) {
                RunningPipeline member = KafkaSource.from(settings, topic)
                        .atLeastOnce()
                        .to(Sink.forEach(this::well))
                        .run();
                renewed.add(member);
                ConsumerHandle consumer = member.handles(ConsumerHandle.class).getFirst();
                ConsumerLedger.await(
                        "taken over",
                        SOON,
                        () -> !consumer.snapshot().partitions().isEmpty());
                // Members probe again for their remaining partitions. No probed record may belong to a lost partition.
                Records.produce(KAFKA.bootstrapServers(), topic, (i + 1L) * PART, PART);
                long before = probes(breakers);
                ConsumerLedger.await("probed", SOON, () -> probes(breakers) >= before + 2);
                // Cancels the run, because no record can finish. A drain would time out.
                old.get(i).cancel();
                old.get(i).close();
            }
            ledger.awaitSeen(RECORDS, SOON);
            assertThat(renewed).allMatch(member -> !member.completion().isDone());
        } finally {
            old.forEach(RunningPipeline::cancel);
            old.forEach(RunningPipeline::close);
            renewed.forEach(RunningPipeline::close);
        }
        assertThat(late).as("begun on what the new owner had handled").isEmpty();
        assertThat(ledger.lost()).as("lost").isZero();
        assertThat(ledger.duplicates()).as("repeated").isZero();
        assertThat(KAFKA.cluster().committedOffsets(topic))
                .isEqualTo(KAFKA.cluster().endOffsets(topic));
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(names = {"EAGER", "CONSUMER"})
    void rollingRestart_onOtherProtocols_losesNothingAndOldMembersBeginNothingLate(GroupLoad.Protocol protocol)
            throws Exception {
        rollingRestart_withBreakersOpen_losesNothingAndOldMembersBeginNothingLate(protocol);
    }

    private static long probes(List<CircuitBreaker> breakers) {
        return breakers.stream()
                .mapToLong(breaker -> breaker.snapshot().timesOpened())
                .sum();
    }
}
