package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.BareContext;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.FlowControl;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.lookup.SilentLookup;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.stream.spi.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the owner's decisions about one partition, with a real committing thread. */
@Timeout(60)
class ConsumerTransactionsTest {

    private static final TopicPartition ID = new TopicPartition("in", 0);
    private static final long TIMEOUT_NANOS = Duration.ofSeconds(30).toNanos();

    /** Runs once, when the owner first waits for a change. */
    private Runnable whileTheOwnerWaits = () -> {};

    private @Nullable Throwable failure;

    private final TransactionsOfRun<String, String> run = new TransactionsOfRun<>(Clock.SYSTEM, new Waiting(), false);
    private final TransactionCounts counts = new TransactionCounts();
    private final BareContext context = new BareContext() {
        @Override
        public @Nullable Throwable failure() {
            return failure;
        }
    };
    private final TransactionCommitter<String, String> committer = new TransactionCommitter<>(
            run,
            context,
            counts,
            null,
            number -> new MockProducer<>(true, null, new StringSerializer(), new StringSerializer()));
    private final ConsumerTransactions<String, String> transactions = new ConsumerTransactions<>(
            run, committer, new TransactionPlan("g", "run", 1, 1_000, 1_000, TIMEOUT_NANOS), context, () -> {});

    private final MockConsumer<byte[], byte[]> client = new MockConsumer<>("earliest");
    private final ClientFetcher fetcher = new ClientFetcher(client);
    private final ConsumerSettings<byte[], byte[]> settings =
            ConsumerSettings.builder().bootstrapServers("h:1").groupId("g").build();
    private final OwnerClock clock = new OwnerClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void park(long nanos) {
            throw new AssertionError("nothing here parks");
        }
    };
    private final OffsetCommits commits =
            new OffsetCommits(client, fetcher, settings, new SilentLookup(), clock, MemberCommit.NONE);
    private final PartitionAssignment assignment = assignment();
    private OffsetTracker tracker = new OffsetTracker(1, () -> {});

    private PartitionAssignment assignment() {
        ConsumerPlan plan =
                new ConsumerPlan(Subscription.topics("in"), Map.of(), new Delivery.Committable(), null, Set.of());
        RecordOutlets outlets = RecordOutlets.single(new RecordBuffer(Clock.SYSTEM));
        FlowControl flow = new FlowControl(settings, 1, 1_000, clock, () -> {});
        OwnerThread owner = new NoOwner();
        return new PartitionAssignment(
                plan,
                fetcher,
                outlets,
                flow,
                new BatchEmission(plan, null, outlets, owner),
                new PausedPartitions(),
                100,
                owner,
                new DroppedRecords(false));
    }

    @BeforeEach
    void begin() throws InterruptedException {
        client.assign(Set.of(ID));
        client.updateBeginningOffsets(Map.of(ID, 0L));
        assignment.add(Set.of(ID), 0);
        tracker = Objects.requireNonNull(assignment.get(ID)).tracker();
        run.emits(tracker);
        transactions.begin(client, commits, assignment, reopened -> {}, new NoOwner(), clock);
        committer.start();
        await(() -> run.freeProducers() == TransactionCommitter.PRODUCERS);
    }

    @AfterEach
    void close() {
        committer.close();
        assertThat(context.failures).isEmpty();
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            while (!condition.getAsBoolean()) {
                run.changed.await();
            }
        } finally {
            run.lock.unlock();
        }
    }

    /** Writes a record for a new input with {@code otherClaims} further pending acknowledgements. */
    private long written(int otherClaims) {
        long token = tracker.append(tracker.outstanding(), 1);
        if (otherClaims > 0) {
            tracker.retain(token, otherClaims);
        }
        run.lock.lock();
        try {
            committer.begin();
            Objects.requireNonNull(run.filling()).sent(tracker, token, null);
        } finally {
            run.lock.unlock();
        }
        return token;
    }

    @Test
    void inputThatIsStillWorkedOn_asItsPartitionGoes_isWaitedFor() {
        long token = written(1);
        whileTheOwnerWaits = () -> tracker.ack(token);
        List<AssignedPartition> going = assignment.withdraw(Set.of(ID));
        transactions.releasing(going);
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(counts.snapshot().committed()).isEqualTo(1);
        assertThat(counts.snapshot().aborted()).isZero();
        assertThat(commits.succeeded()).isEqualTo(1);
    }

    @Test
    void inputThatNobodyWorksOn_asItsPartitionGoes_isAborted() throws InterruptedException {
        long token = written(1);
        tracker.abandon(token);
        List<AssignedPartition> going = assignment.withdraw(Set.of(ID));
        transactions.releasing(going);
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessageContaining("only a part of the results of in-0@0");
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(counts.snapshot().committed()).isZero();
    }

    @Test
    void pipelineThatHasFailed_commitsNothingAtItsEnd_andAbortsWhatIsOpen() throws InterruptedException {
        long ignored = written(0);
        failure = new IllegalStateException("planned");
        assertThatExceptionOfType(KafkaException.class)
                .isThrownBy(() -> transactions.commitNow(TIMEOUT_NANOS))
                .withMessage("the open transaction is aborted, its inputs are read again");
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(counts.snapshot().committed()).isZero();
        assertThat(counts.snapshot().aborted()).isEqualTo(1);
    }

    @Test
    void pipelineThatHasFailed_withNothingOpen_commitsNothingAtItsEnd() {
        tracker.ack(tracker.append(0, 1));
        failure = new IllegalStateException("planned");
        transactions.commitNow(TIMEOUT_NANOS);
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
        assertThat(counts.snapshot().committed()).isZero();
    }

    @Test
    void abort_countsAsAFailedCommit_andHasItsInputsReadAgain() throws InterruptedException {
        long ignored = written(0);
        committer.abortFilling(new KafkaException("planned"));
        await(() -> run.state() == TransactionState.ABORTED);
        assertThat(transactions.nanosUntilDue()).isZero();
        transactions.commitIfDue();
        assertThat(commits.failed()).isEqualTo(1);
        assertThat(tracker.isRevoked(0)).isTrue();
        assertThat(run.state()).isEqualTo(TransactionState.IDLE);
    }

    /** The system clock. An action runs before the first wait. */
    private final class Waiting implements Clock {

        @Override
        public long nanoTime() {
            return Clock.SYSTEM.nanoTime();
        }

        @Override
        public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
            Runnable first = whileTheOwnerWaits;
            whileTheOwnerWaits = () -> {};
            first.run();
            Clock.SYSTEM.await(lock, condition, deadlineNanos);
        }
    }

    private static final class NoOwner implements OwnerThread {

        @Override
        public void execute(Runnable work) {
            throw new AssertionError("nobody hands work to the owner");
        }

        @Override
        public void wake() {}

        @Override
        public ConsumerPhase phase() {
            return ConsumerPhase.RUNNING;
        }

        @Override
        public void fail(Throwable failure) {
            throw new AssertionError(failure);
        }

        @Override
        public long withinPatience(long nanos) {
            return nanos;
        }

        @Override
        public boolean awaitOrEnd(CompletableFuture<?> done) {
            return false;
        }
    }
}
