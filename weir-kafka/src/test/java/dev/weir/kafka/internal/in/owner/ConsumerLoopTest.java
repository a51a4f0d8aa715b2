package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Position;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.RecreatedTopicException;
import dev.weir.kafka.RestrictedConsumer;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.PartitionOutlets;
import dev.weir.kafka.internal.in.buffer.PipelineOutlets;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.fetch.FetchResult;
import dev.weir.kafka.internal.in.fetch.Fetched;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.lean.spi.InvariantException;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the owner thread with one partition and a client without brokers. */
class ConsumerLoopTest {

    static final TopicPartition ID = new TopicPartition("t", 0);

    private final LoopClient client = new LoopClient();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Throwable> failed = new CompletableFuture<>();
    private volatile Consumer<RestrictedConsumer> onAssigned = consumer -> {};
    private volatile Runnable onRevoked = () -> {};
    private volatile MemberCommit direct = MemberCommit.NONE;
    private OutOfRangePolicy outOfRange = OutOfRangePolicy.FAIL;
    private final RebalanceListener listener = new RebalanceListener() {
        @Override
        public void onAssigned(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
            onAssigned.accept(consumer);
        }

        @Override
        public void onRevoked(Set<TopicPartition> partitions, RestrictedConsumer consumer) {
            told.add("revoked " + partitions);
            onRevoked.run();
        }
    };

    private ConsumerLoop start(RecordFetcher fetcher, RecordOutlets outlets) throws InterruptedException {
        return start(fetcher, outlets, Duration.ofSeconds(20), null, Duration.ofMinutes(5), OwnerClock.SYSTEM);
    }

    private ConsumerLoop start(
            RecordFetcher fetcher,
            RecordOutlets outlets,
            Duration revokeDeadline,
            @Nullable ExternalOffsets store,
            Duration maxPollInterval,
            OwnerClock clock)
            throws InterruptedException {
        ConsumerPlan plan =
                new ConsumerPlan(Subscription.topics("t"), Map.of(), new Delivery.Committable(), store, Set.of());
        return start(fetcher, outlets, revokeDeadline, plan, List.of(ID), maxPollInterval, clock);
    }

    private ConsumerLoop start(
            RecordFetcher fetcher,
            RecordOutlets outlets,
            Duration revokeDeadline,
            ConsumerPlan plan,
            List<TopicPartition> assigned,
            Duration maxPollInterval,
            OwnerClock clock)
            throws InterruptedException {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers("h:1")
                .groupId("g")
                .commitMetadataChars(0)
                .revokeDeadline(revokeDeadline)
                .outOfRange(outOfRange)
                .rebalanceListener(listener)
                .build();
        ConsumerLoop loop = new ConsumerLoop(
                client,
                fetcher,
                settings,
                new ClientLimits(100, maxPollInterval, Duration.ofMinutes(5)),
                plan,
                failure -> {
                    told.add("failed " + failure);
                    failed.complete(failure);
                },
                outlets,
                new Answers(),
                clock,
                direct,
                null);
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(ID, 0L));
            client.rebalance(assigned);
            client.assigned.countDown();
        });
        Thread.ofPlatform().daemon().start(loop);
        client.assigned.await();
        return loop;
    }

    private static RecordBuffer buffer() {
        return new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
    }

    // Regression: after a failed last commit, the listener was not called.
    @Test
    void close_withALastCommitThatFails_stillTellsTheListener() throws Exception {
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        // Without the seek, there would be nothing to commit.
        loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .toCompletableFuture()
                .get();
        assertThat(loop.close(Duration.ZERO)).contains("not allowed");
        assertThat(told).containsExactly("revoked [t-0]");
        assertThat(client.closed()).isTrue();
    }

    // Regression: the last finished records of a static member were never committed during a rebalance.
    @Test
    void close_whileTheClientWaitsForARebalance_commitsBesideIt() throws Exception {
        client.refusal = new RebalanceInProgressException("joining");
        direct = (offsets, nanos) -> {
            // The first direct commit meets a rebalance: no generation is valid.
            boolean taken = told.contains("beside 5");
            told.add("beside " + Objects.requireNonNull(offsets.get(ID)).offset());
            return taken;
        };
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .toCompletableFuture()
                .get();
        assertThat(loop.close(Duration.ZERO)).isEmpty();
        assertThat(told).containsExactly("beside 5", "beside 5", "revoked [t-0]");
    }

    // Regression: a wake-up meant for a poll interrupted the listener's query and failed the run.
    @Test
    void listener_whoseQuestionMeetsALateWakeUp_isAnswered() throws InterruptedException {
        onAssigned = consumer -> told.add("committed " + consumer.committed(Set.of(ID)));
        client.lateWakeUps = 1;
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        String ignored = loop.close(Duration.ZERO);
        assertThat(told).containsExactly("committed {}", "revoked [t-0]");
    }

    // Regression: the partition waited for its position forever.
    @Test
    void store_whoseExceptionsCannotBeRead_failsTheRunAfterSeveralAttempts() throws Exception {
        @SuppressWarnings({"serial", "OverrideThrowableToString"}) // toString() itself must fail
        class Unreadable extends RuntimeException {
            @Override
            public String toString() {
                throw new IllegalStateException("unreadable");
            }
        }
        ExternalOffsets store = ids -> CompletableFuture.failedStage(new Unreadable());
        ConsumerLoop loop = start(
                new ClientFetcher(client),
                RecordOutlets.single(buffer()),
                Duration.ofSeconds(20),
                store,
                Duration.ofMinutes(5),
                OwnerClock.SYSTEM);
        assertThat(failed.get(20, TimeUnit.SECONDS))
                .hasMessageContaining("cannot load the offsets of [t-0], 5 times: ")
                .hasMessageContaining("Unreadable")
                .hasCauseInstanceOf(Unreadable.class);
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: after a seek, the partition was fetched although no pipeline reads it.
    @Test
    void partition_thatNoPipelineReads_isNotFetchedAfterASeek() throws Exception {
        ConsumerLoop loop = start(new ClientFetcher(client), new PipelineOutlets());
        loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .toCompletableFuture()
                .get();
        // Each poll runs one task. Between two polls, the owner decides which partitions resume.
        CountDownLatch polled = new CountDownLatch(2);
        client.schedulePollTask(polled::countDown);
        client.schedulePollTask(polled::countDown);
        polled.await();
        CompletableFuture<Boolean> waits = new CompletableFuture<>();
        loop.execute(() -> {
            AssignedPartition now = loop.assignment().get(ID);
            waits.complete(now != null && now.isPausedFor(PauseReason.UNREAD) && now.isPaused());
        });
        assertThat(waits.get()).isTrue();
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: the run failed after the group had removed the member, instead of rejoining.
    @Test
    void boundedRead_withoutPartitionsInAMemberThatWasExpelled_asksAgain() throws Exception {
        client.expulsions = 1;
        var plan = new ConsumerPlan(
                Subscription.topics("t").untilEnd(), Map.of(ID, 5L), new Delivery.Committable(), null, Set.of());
        ConsumerLoop loop = start(
                new ClientFetcher(client),
                RecordOutlets.single(buffer()),
                Duration.ofSeconds(20),
                plan,
                List.of(),
                Duration.ofMinutes(5),
                OwnerClock.SYSTEM);
        CompletableFuture.anyOf(client.answered, failed).get();
        assertThat(told).isEmpty();
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: a bounded read of a recreated topic never ended if the new topic was shorter.
    @Test
    void boundedRead_ofATopicThatRecordsShowToBeRecreated_fails() throws Exception {
        outOfRange = OutOfRangePolicy.LATEST;
        var plan = new ConsumerPlan(
                Subscription.topics("t").untilEnd(), Map.of(ID, 5L), new Delivery.Committable(), null, Set.of());
        ConsumerLoop loop = start(
                new ClientFetcher(client),
                RecordOutlets.single(buffer()),
                Duration.ofSeconds(20),
                plan,
                List.of(ID),
                Duration.ofMinutes(5),
                OwnerClock.SYSTEM);
        loop.control()
                .seek(Map.of(ID, Position.offset(0)))
                .toCompletableFuture()
                .get();
        client.strays.add(ofEpoch(0, 5));
        client.strays.add(ofEpoch(0, 3));
        assertThat(CompletableFuture.anyOf(failed, client.committedTheEnd).get())
                .isInstanceOfSatisfying(
                        RecreatedTopicException.class,
                        failure -> assertThat(failure)
                                .hasMessageContaining("leader epoch 3")
                                .hasMessageContaining("read again"));
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: a partition that came back after the end of a bounded read was not reported as unfinished.
    @Test
    void boundedRead_whosePartitionComesBackAfterTheEnd_namesIt() throws Exception {
        assertThat(leftUndoneAfterAReturn(Map.of())).contains("left to the group: t-0");
    }

    @Test
    void boundedRead_whosePartitionComesBackWithItsEndCommitted_isComplete() throws Exception {
        assertThat(leftUndoneAfterAReturn(Map.of(ID, new OffsetAndMetadata(2)))).doesNotContain("left to the group");
    }

    /**
     * Revokes and assigns the partition after the end of a bounded read. Returns what the close reports as unfinished.
     *
     * @param committed the group's commits at the end of the read
     */
    private String leftUndoneAfterAReturn(Map<TopicPartition, OffsetAndMetadata> committed) throws Exception {
        var plan = new ConsumerPlan(
                Subscription.topics("t").untilEnd(), Map.of(ID, 2L), new Delivery.Committable(), null, Set.of());
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(
                new ClientFetcher(client),
                RecordOutlets.single(buffer),
                Duration.ofSeconds(20),
                plan,
                List.of(ID),
                Duration.ofMinutes(5),
                new Hasty());
        loop.control()
                .seek(Map.of(ID, Position.offset(0)))
                .toCompletableFuture()
                .get();
        client.strays.add(record(ID, 0));
        client.strays.add(record(ID, 1));
        assertThat(take(buffer).get(0).offset()).isZero();
        assertThat(take(buffer).get(0).offset()).isEqualTo(1);
        assertThat(buffer.take(Stage.NEVER, new StageMeter())).as("the end").isNull();
        client.committed.putAll(committed);
        CountDownLatch back = new CountDownLatch(1);
        client.schedulePollTask(() -> client.rebalance(List.of()));
        client.schedulePollTask(() -> {
            client.rebalance(List.of(ID));
            back.countDown();
        });
        back.await();
        return loop.close(Duration.ZERO);
    }

    private static ConsumerRecord<byte[], byte[]> ofEpoch(long offset, int epoch) {
        return new ConsumerRecord<>(
                ID.topic(),
                ID.partition(),
                offset,
                0,
                TimestampType.CREATE_TIME,
                -1,
                -1,
                new byte[0],
                new byte[0],
                new RecordHeaders(),
                Optional.of(epoch));
    }

    // An open client would stay in its group with partitions that nobody reads.
    @Test
    void close_withAFetcherThatCannotBeClosed_stillClosesTheClient() throws InterruptedException {
        RecordFetcher real = new ClientFetcher(client);
        RecordFetcher faulty = (RecordFetcher) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RecordFetcher.class}, (self, method, args) -> {
                    if (method.getName().equals("close")) {
                        throw new IllegalStateException("a socket is stuck");
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw Objects.requireNonNull(thrown.getCause());
                    }
                });
        ConsumerLoop loop = start(faulty, RecordOutlets.single(buffer()));
        String ignored = loop.close(Duration.ZERO);
        assertThat(client.closed()).isTrue();
    }

    // Regression: after a seek, records were fetched for a stream that had ended.
    @Test
    void partition_whoseStreamEndsAfterASeek_isNotFetchedAnyMore() throws Exception {
        PartitionOutlets outlets = new PartitionOutlets(dev.weir.stream.spi.Clock.SYSTEM);
        ConsumerLoop loop = start(new ClientFetcher(client), outlets);
        List<AssignedPartition> announced = Objects.requireNonNull(outlets.take(Stage.NEVER, new StageMeter()));
        assertThat(announced).hasSize(1);
        loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .toCompletableFuture()
                .get();
        loop.abandon(announced.getFirst());
        CompletableFuture<Boolean> atEnd = new CompletableFuture<>();
        loop.execute(() -> {
            AssignedPartition now = loop.assignment().get(ID);
            atEnd.complete(now != null && now.isPausedFor(PauseReason.END) && now.isPaused());
        });
        assertThat(atEnd.get()).isTrue();
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: after an {@code Error}, the caller of close waited forever.
    @Test
    void close_withAnErrorWhileTheClientIsClosed_answersAndFailsTheRun() throws InterruptedException {
        client.closesWith = new NoClassDefFoundError("planted");
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        CompletionStage<Void> seek = loop.control().seek(Map.of(new TopicPartition("other", 0), Position.offset(5)));
        String ignored = CompletableFuture.supplyAsync(() -> loop.close(Duration.ZERO))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        assertThat(told).contains("failed java.lang.NoClassDefFoundError: planted");
        assertThatThrownBy(() -> seek.toCompletableFuture().join()).isInstanceOf(CompletionException.class);
    }

    // Regression: after an {@code Error} in the last commit, the listener was not called.
    @Test
    void close_withAnErrorInTheLastCommit_stillTellsTheListener() throws Exception {
        client.commitsWith = new NoClassDefFoundError("planted");
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .toCompletableFuture()
                .get();
        String ignored = loop.close(Duration.ZERO);
        assertThat(told).containsExactly("revoked [t-0]", "failed java.lang.NoClassDefFoundError: planted");
    }

    // Regression: a pipeline that was added during a stop waited for records forever.
    @Test
    void attachment_inTheTurnOfTheClose_isRefused() throws InterruptedException {
        PipelineOutlets outlets = new PipelineOutlets();
        ConsumerLoop loop = start(new ClientFetcher(client), outlets);
        PartitionParking parking = loop.share(outlets);
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        // Stop during a poll: the loop sees the stop before it runs further requests.
        client.schedulePollTask(() -> {
            loop.stop();
            stopped.complete(null);
        });
        stopped.join();
        assertThatThrownBy(() ->
                        parking.attach(new PipelineOutlets.Attachment(Set.of("t"), dev.weir.stream.spi.Clock.SYSTEM)))
                .hasMessageContaining("the reusable consumer is closed");
        String ignored = loop.close(Duration.ZERO);
    }

    @Test
    void topic_whosePipelineEnds_isReadByThePipelineOfAllOtherTopics() throws Exception {
        PipelineOutlets outlets = new PipelineOutlets();
        ConsumerLoop loop = start(new ClientFetcher(client), outlets);
        PartitionParking parking = loop.share(outlets);
        PipelineOutlets.Attachment others = new PipelineOutlets.Attachment(Set.of(), dev.weir.stream.spi.Clock.SYSTEM);
        PipelineOutlets.Attachment ofTopic =
                new PipelineOutlets.Attachment(Set.of("t"), dev.weir.stream.spi.Clock.SYSTEM);
        parking.attach(others);
        parking.attach(ofTopic);
        client.schedulePollTask(() -> client.addRecord(record(ID, 0)));
        take(ofTopic.buffer).ack(0);

        assertThat(parking.detach(ofTopic, Duration.ofMinutes(1))).isEmpty();
        CompletableFuture<Boolean> isRead = new CompletableFuture<>();
        loop.execute(() -> {
            AssignedPartition now = Objects.requireNonNull(loop.assignment().get(ID));
            isRead.complete(now.outlet() == others.buffer && !now.isPausedFor(PauseReason.UNREAD));
        });
        assertThat(isRead.join()).isTrue();
        client.schedulePollTask(() -> client.addRecord(record(ID, 1)));
        assertThat(take(others.buffer).get(0).offset()).isEqualTo(1);
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: a batch in a failed pipeline kept the consumer open until the deadline.
    @Test
    void close_afterAPipelineFailedWithRecordsInHand_doesNotWaitForThem() throws Exception {
        PipelineOutlets outlets = new PipelineOutlets();
        ConsumerLoop loop = start(new ClientFetcher(client), outlets);
        PartitionParking parking = loop.share(outlets);
        PipelineOutlets.Attachment failing =
                new PipelineOutlets.Attachment(Set.of("t"), dev.weir.stream.spi.Clock.SYSTEM);
        parking.attach(failing);
        client.schedulePollTask(() -> client.addRecord(record(ID, 0)));
        assertThat(take(failing.buffer).size()).isEqualTo(1);

        assertThat(parking.detach(failing, Duration.ZERO)).contains("t-0@0");
        String leftUndone = CompletableFuture.supplyAsync(() -> loop.close(Duration.ofDays(1)))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
        assertThat(leftUndone).contains("unfinished, to be read again: t-0@0");
    }

    // Regression: the report said that nothing was left unfinished.
    @Test
    void detach_afterTheConsumerEndedWithRecordsInHand_namesThem() throws Exception {
        PipelineOutlets outlets = new PipelineOutlets();
        ConsumerLoop loop = start(new ClientFetcher(client), outlets);
        PartitionParking parking = loop.share(outlets);
        PipelineOutlets.Attachment working =
                new PipelineOutlets.Attachment(Set.of("t"), dev.weir.stream.spi.Clock.SYSTEM);
        parking.attach(working);
        client.schedulePollTask(() -> client.addRecord(record(ID, 0)));
        assertThat(take(working.buffer).size()).isEqualTo(1);

        String ignored = loop.close(Duration.ZERO);
        assertThat(parking.detach(working, Duration.ofMinutes(1))).contains("t-0@0");
    }

    // Regression: the group expelled the member during a long revocation.
    @Test
    void revocation_inWhichNothingEnds_isOverBeforeTheGroupExpelsTheMember() throws InterruptedException {
        Duration maxPollInterval = Duration.ofMinutes(1);
        CountDownLatch never = new CountDownLatch(1);
        Hasty clock = new Hasty();
        client.commitsUntil = clock.nanos;
        CountDownLatch begun = new CountDownLatch(2); // the two calls may begin after the clock has run out
        onRevoked = () -> {
            begun.countDown();
            awaitForEver(never);
        };
        ExternalOffsets store = new ExternalOffsets() {
            @Override
            public CompletionStage<Map<TopicPartition, Position>> load(Set<TopicPartition> partitions) {
                return CompletableFuture.completedStage(Map.of());
            }

            @Override
            public void revoked(Set<TopicPartition> partitions) {
                told.add("store");
                begun.countDown();
                awaitForEver(never);
            }
        };
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(
                new ClientFetcher(client),
                RecordOutlets.single(buffer),
                Duration.ofMinutes(4),
                store,
                maxPollInterval,
                clock);
        client.schedulePollTask(() -> {
            client.addRecord(new ConsumerRecord<>("t", 0, 0, new byte[0], new byte[0]));
            client.addRecord(new ConsumerRecord<>("t", 0, 1, new byte[0], new byte[0]));
        });
        Batch<?> taken = Fetched.unwrap(Objects.requireNonNull(buffer.take(Stage.NEVER, new StageMeter())));
        taken.ack(0);
        CompletableFuture<Long> took = new CompletableFuture<>();
        client.schedulePollTask(() -> {
            long begin = clock.nanoTime();
            client.rebalance(List.of());
            took.complete(clock.nanoTime() - begin);
        });
        assertThat(Duration.ofNanos(took.join())).isBetween(Duration.ofSeconds(30), maxPollInterval.minusSeconds(1));
        begun.await();
        assertThat(told).contains("store", "revoked [t-0]");
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: while a revocation waited, the remaining partitions stalled as soon as the buffer was empty.
    @Test
    void revocation_thatWaits_goesOnWithWhatIsFetchedByAnotherWay() throws Exception {
        TopicPartition stays = new TopicPartition("t", 1);
        Queue<ConsumerRecord<byte[], byte[]>> fetched = new ConcurrentLinkedQueue<>();
        CountDownLatch revoked = new CountDownLatch(1);
        onRevoked = revoked::countDown;
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(besides(new ClientFetcher(client), fetched), RecordOutlets.single(buffer));
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(stays, 0L));
            client.rebalance(List.of(ID, stays));
        });
        client.schedulePollTask(() -> {
            client.addRecord(record(ID, 0));
            client.addRecord(record(stays, 0));
        });
        Map<Integer, Batch<ConsumerRecord<byte[], byte[]>>> begun = new HashMap<>();
        while (begun.size() < 2) {
            Batch<ConsumerRecord<byte[], byte[]>> next = take(buffer);
            begun.put(next.get(0).partition(), next);
        }
        client.schedulePollTask(() -> client.rebalance(List.of(stays)));
        fetched.add(record(stays, 1));
        ConsumerRecord<byte[], byte[]> next = take(buffer).get(0);
        assertThat(next.partition() + "@" + next.offset()).isEqualTo("1@1");
        assertThat(revoked.getCount())
                .as("the listener hears of it after the wait")
                .isEqualTo(1);
        Objects.requireNonNull(begun.get(0)).ack(0);
        revoked.await();
        String ignored = loop.close(Duration.ZERO);
    }

    // Regression: the finished records of the revoked partition were not committed.
    @Test
    void revocation_inWhichAnEmissionFails_isCompleteBeforeTheRunFails() throws Exception {
        TopicPartition stays = new TopicPartition("t", 1);
        LinkedTransferQueue<ConsumerRecord<byte[], byte[]>> fetched = new LinkedTransferQueue<>();
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(besides(new ClientFetcher(client), fetched), RecordOutlets.single(buffer));
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(stays, 0L));
            client.rebalance(List.of(ID, stays));
        });
        client.schedulePollTask(() -> {
            client.addRecord(record(ID, 0));
            client.addRecord(record(stays, 0));
        });
        Map<Integer, Batch<ConsumerRecord<byte[], byte[]>>> begun = new HashMap<>();
        while (begun.size() < 2) {
            Batch<ConsumerRecord<byte[], byte[]>> next = take(buffer);
            begun.put(next.get(0).partition(), next);
        }
        client.schedulePollTask(() -> client.rebalance(List.of(stays)));
        fetched.transfer(record(stays, 0)); // a second time, so it is refused
        Objects.requireNonNull(begun.get(0)).ack(0);
        Throwable failure = failed.get(20, TimeUnit.SECONDS);
        String ignored = loop.close(Duration.ZERO);
        assertThat(failure).isInstanceOf(InvariantException.class);
        assertThat(told).containsExactly("revoked [t-0]", "failed " + failure, "revoked [t-1]");
    }

    /** Even if the client's position moves back, the pipeline never sees a record twice in one assignment. */
    @Test
    void recordThatTheClientBringsTwice_endsTheRunWithTheInvariant_andGoesOutOnce() throws Exception {
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer));
        client.strays.addAll(List.of(record(ID, 0), record(ID, 1), record(ID, 7)));
        assertThat(take(buffer).get(0).offset()).isZero();
        assertThat(take(buffer).get(0).offset()).isEqualTo(1);
        assertThat(take(buffer).get(0).offset()).isEqualTo(7);
        client.strays.add(record(ID, 7));
        assertThat(failed.get(20, TimeUnit.SECONDS))
                .isInstanceOf(InvariantException.class)
                .hasMessageContaining("invariant 15 does not hold: elements of a partition enter the pipeline in order")
                .hasMessageContaining("t-0@7 readTo=8 outstanding=3");
        String ignored = loop.close(Duration.ZERO);
        assertThat(buffer.records()).isZero();
    }

    // Regression: records of one partition were lost after records of another partition had failed.
    @Test
    void recordsOfAPoll_inWhichAnotherPartitionFails_areNotCommitted() throws Exception {
        TopicPartition next = new TopicPartition("t", 1);
        Queue<Long> committed = new ConcurrentLinkedQueue<>();
        client.refusal = new RebalanceInProgressException("joining");
        direct = (offsets, nanos) -> {
            Optional.ofNullable(offsets.get(next)).ifPresent(commit -> committed.add(commit.offset()));
            return true;
        };
        RecordBuffer buffer = buffer();
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer));
        client.schedulePollTask(() -> {
            client.updateBeginningOffsets(Map.of(next, 0L));
            client.rebalance(List.of(ID, next));
        });
        client.schedulePollTask(() -> client.addRecord(record(next, 0)));
        take(buffer).ack(0);
        client.strays.add(record(ID, 0));
        take(buffer).ack(0);

        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> response = new LinkedHashMap<>();
        response.put(ID, List.of(record(ID, 0))); // a second time, so it is refused
        response.put(next, List.of(record(next, 1), record(next, 2)));
        client.responses.add(new ConsumerRecords<>(response, Map.of()));
        assertThat(failed.get(20, TimeUnit.SECONDS)).isInstanceOf(InvariantException.class);
        String ignored = loop.close(Duration.ZERO);
        assertThat(committed).isNotEmpty().containsOnly(1L);
    }

    // Regression: code that waited for the end of the run after a seek waited forever.
    @Test
    void seek_thatIsAnswered_continuesOnAnotherThread() throws Exception {
        ConsumerLoop loop = start(new ClientFetcher(client), RecordOutlets.single(buffer()));
        CountDownLatch dependsOnSeek = new CountDownLatch(1);
        loop.execute(() -> awaitForEver(dependsOnSeek));
        CompletableFuture<Thread> afterSeek = new CompletableFuture<>();
        CompletionStage<Boolean> seek = loop.control()
                .seek(Map.of(ID, Position.offset(5)))
                .thenApply(none -> afterSeek.complete(Thread.currentThread()));
        dependsOnSeek.countDown();
        assertThat(afterSeek.join().isVirtual()).isTrue();
        assertThat(seek.toCompletableFuture().join()).isTrue();
        String ignored = loop.close(Duration.ZERO);
    }

    private static ConsumerRecord<byte[], byte[]> record(TopicPartition id, long offset) {
        return new ConsumerRecord<>(id.topic(), id.partition(), offset, new byte[0], new byte[0]);
    }

    private static Batch<ConsumerRecord<byte[], byte[]>> take(RecordBuffer buffer) throws InterruptedException {
        return Fetched.unwrap(Objects.requireNonNull(buffer.take(Stage.NEVER, new StageMeter())));
    }

    private static FetchResult next(Queue<ConsumerRecord<byte[], byte[]>> fetched) {
        ConsumerRecord<byte[], byte[]> next = fetched.poll();
        if (next == null) {
            LockSupport.parkNanos(1_000_000);
            return FetchResult.of(ConsumerRecords.empty());
        }
        TopicPartition id = new TopicPartition(next.topic(), next.partition());
        return FetchResult.of(new ConsumerRecords<>(Map.of(id, List.of(next)), Map.of()));
    }

    /** Wraps a fetcher, and adds records that it fetches without the client. */
    private RecordFetcher besides(RecordFetcher real, Queue<ConsumerRecord<byte[], byte[]>> fetched) {
        return (RecordFetcher) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RecordFetcher.class}, (self, method, args) -> {
                    if (method.getName().equals("canFetchOnly")) {
                        return true;
                    }
                    if (method.getName().equals("fetchOnly")) {
                        return next(fetched);
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw Objects.requireNonNull(thrown.getCause());
                    }
                });
    }

    private static void awaitForEver(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException atTheDeadline) {
            Thread.currentThread().interrupt();
        }
    }

    /** Each wait takes its full timeout. */
    private static final class Hasty implements OwnerClock {

        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public void park(long parked) {
            LockSupport.parkNanos(100_000);
            nanos.addAndGet(Math.min(parked, 1_000_000_000));
        }
    }

    static final class Answers extends SilentLookup {

        static final long END = 9;

        @Override
        public Map<TopicPartition, CompletionStage<Long>> offsets(
                Map<TopicPartition, Position> positions, Duration within) {
            Map<TopicPartition, CompletionStage<Long>> offsets = new HashMap<>();
            positions.forEach((id, position) -> offsets.put(
                    id,
                    CompletableFuture.completedStage(
                            switch (position) {
                                case Position.Offset given -> given.offset();
                                case Position.Edge edge -> edge == Position.Edge.END ? END : 0;
                                default -> 0L;
                            })));
            return offsets;
        }
    }
}
