package dev.weir.kafka.internal.in.owner;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** A client that never answers asynchronous commits and refuses synchronous commits. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the overriding methods use no shared state
final class LoopClient extends MockConsumer<byte[], byte[]> {

    final CountDownLatch assigned = new CountDownLatch(1);

    /** Clock on which a synchronous commit takes its full timeout. If null, the commit is refused. */
    volatile @Nullable AtomicLong commitsUntil;

    volatile KafkaException refusal = new GroupAuthorizationException("not allowed");

    volatile @Nullable Error closesWith;

    volatile @Nullable Error commitsWith;

    /** Records that the next polls return, regardless of the client's position. */
    final Queue<ConsumerRecord<byte[], byte[]>> strays = new ConcurrentLinkedQueue<>();

    /** The results of the next polls, regardless of the client's position. */
    final Queue<ConsumerRecords<byte[], byte[]>> responses = new ConcurrentLinkedQueue<>();

    /** Completes when {@link ConsumerLoopTest.Answers#END} is committed. */
    final CompletableFuture<Object> committedTheEnd = new CompletableFuture<>();

    /** Number of queries for committed offsets that late wake-ups will still interrupt. */
    volatile int lateWakeUps;

    /** Number of queries for committed offsets that the coordinator refuses, because it has removed the member. */
    volatile int expulsions;

    /** Completes with the first result of a query for committed offsets. */
    final CompletableFuture<Object> answered = new CompletableFuture<>();

    /** The committed offsets of the group. */
    final Map<TopicPartition, OffsetAndMetadata> committed = new ConcurrentHashMap<>();

    LoopClient() {
        super("earliest");
    }

    /** Waits briefly. */
    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        LockSupport.parkNanos(Math.min(timeout.toNanos(), 1_000_000));
        ConsumerRecords<byte[], byte[]> response = responses.poll();
        if (response != null) {
            return response;
        }
        ConsumerRecord<byte[], byte[]> stray = strays.poll();
        return stray == null
                ? super.poll(Duration.ZERO)
                : new ConsumerRecords<>(Map.of(ConsumerLoopTest.ID, List.of(stray)), Map.of());
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // the owner thread alone asks
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
        if (lateWakeUps > 0) {
            lateWakeUps--;
            throw new WakeupException();
        }
        if (expulsions > 0) {
            expulsions--;
            throw new UnknownMemberIdException("expelled");
        }
        answered.complete(ids);
        return committed;
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        if (offsets.values().stream().anyMatch(each -> each.offset() == ConsumerLoopTest.Answers.END)) {
            committedTheEnd.complete(offsets);
        }
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        Error error = commitsWith;
        if (error != null) {
            throw error;
        }
        AtomicLong clock = commitsUntil;
        if (clock != null) {
            clock.addAndGet(timeout.toNanos());
            throw new TimeoutException("no answer");
        }
        throw refusal;
    }

    @Override
    public void close(CloseOptions options) {
        super.close(options);
        Error failure = closesWith;
        if (failure != null) {
            throw failure;
        }
    }
}
