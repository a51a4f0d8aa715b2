package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.owner.TransactionCluster.Out;
import dev.weir.kafka.internal.out.transaction.Turns;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A transactional producer. The simulation continues while the producer waits for brokers. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // one thread at a time
final class TransactionProducer extends MockProducer<byte[], byte[]> {

    private record Sent(Out out, Callback callback) {}

    private static final TopicPartition OUT = new TopicPartition("out", 0);

    /** Simulation steps until a slow coordinator answers. */
    private static final int SLOW = 100;

    private final TransactionWorld world;
    private final TransactionCluster cluster;
    private final Random random;
    private final Turns turns;
    private final String id;
    private final Queue<Sent> sent = new ArrayDeque<>();
    private int epoch = -1;
    private boolean closed;
    private boolean dead;
    private boolean inTransaction;

    /** True if the coordinator has committed but its response was lost. */
    private boolean committedUntold;

    /** Error that allows only an abort, or no further call if {@link #fatal} is true. */
    private @Nullable KafkaException error;

    private boolean fatal;

    TransactionProducer(TransactionWorld world, Turns turns, String id) {
        super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
        this.world = world;
        this.cluster = world.cluster;
        this.random = world.random;
        this.turns = turns;
        this.id = id;
    }

    void die() {
        dead = true;
    }

    private void requireUsable() {
        if (dead || closed) {
            throw new IllegalStateException("the producer is closed");
        }
        if (error != null) {
            throw new KafkaException("cannot do that because of an error before", error);
        }
    }

    private void requireTransaction() {
        requireUsable();
        if (!inTransaction) {
            throw new IllegalStateException("no transaction is in progress");
        }
    }

    private KafkaException failsWith(KafkaException failure, boolean forGood) {
        error = failure;
        cluster.note("  %s fails: %s", id, failure);
        fatal |= forGood;
        return failure;
    }

    private boolean fails(int oneIn) {
        return !world.isCalm() && random.nextInt(oneIn) == 0;
    }

    private void pause() {
        try {
            turns.pause();
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    private void requireCurrent() {
        if (!cluster.isCurrent(id, epoch)) {
            throw failsWith(new InvalidProducerEpochException("another one has " + id), true);
        }
    }

    @Override
    public void initTransactions() {
        pause();
        if (dead || closed) {
            throw new KafkaException("the producer is closed");
        }
        if (fails(8)) {
            throw new TimeoutException("no coordinator");
        }
        epoch = cluster.initProducer(id);
        cluster.note("  %s opened, epoch %d", id, epoch);
    }

    @Override
    public void beginTransaction() {
        requireUsable();
        if (inTransaction) {
            throw new IllegalStateException("a transaction is in progress");
        }
        inTransaction = true;
        committedUntold = false;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, @Nullable Callback callback) {
        Out out = world.outOf(record);
        serialise(record, out);
        requireUsable();
        if (random.nextInt(20) == 0) {
            pause();
            requireUsable();
        }
        if (fails(400)) {
            throw failsWith(new KafkaException("drawn in a send"), false);
        }
        sent.add(new Sent(out, Objects.requireNonNull(callback)));
        return new CompletableFuture<>();
    }

    /** Serializes a record. The serializer adds a header, and then the headers become read-only. */
    private void serialise(ProducerRecord<byte[], byte[]> record, Out out) {
        record.headers().add("of-a-serializer", null);
        if (record.headers().toArray().length != 1) {
            throw new AssertionError("what a serializer has added is sent again: " + out);
        }
        if (fails(1_500) && cluster.mayNotBeSerialised(out)) {
            throw new SerializationException("drawn");
        }
        ((RecordHeaders) record.headers()).setReadOnly();
    }

    /** Brokers accept or reject some of the sent records. */
    void answerSome() {
        if (dead || closed) {
            return;
        }
        for (int n = 1 + random.nextInt(10); n > 0 && !sent.isEmpty(); n--) {
            if (!cluster.isCurrent(id, epoch)) {
                failAll(failsWith(new InvalidProducerEpochException("another one has " + id), true));
                return;
            }
            if (fails(300)) {
                failAll(failsWith(new TimeoutException("a batch has expired"), false));
                return;
            }
            Sent next = sent.remove();
            if (cluster.isRefused(next.out)) {
                refuse(next);
                return;
            }
            write(next);
        }
    }

    private void write(Sent next) {
        cluster.write(id, next.out, world.nanoTime());
        next.callback.onCompletion(new RecordMetadata(OUT, 0, 0, -1, 1, 1), null);
    }

    /** Refuses a record. Batches in flight may still arrive. All unsent records fail with the same error. */
    private void refuse(Sent culprit) {
        String topic = cluster.topicOf(culprit.out);
        KafkaException refusal = failsWith(
                topic.equals(TransactionCluster.FORBIDDEN)
                        ? new TopicAuthorizationException(Set.of(topic))
                        : new RecordTooLargeException("for any broker"),
                false);
        culprit.callback.onCompletion(new RecordMetadata(OUT, -1, -1, -1, -1, -1), refusal);
        for (int underWay = random.nextInt(3); underWay > 0 && !sent.isEmpty(); underWay--) {
            if (cluster.isRefused(sent.element().out)) {
                break;
            }
            write(sent.remove());
        }
        failAll(refusal);
    }

    private void failAll(KafkaException why) {
        List<Sent> all = new ArrayList<>(sent);
        sent.clear();
        all.forEach(each -> each.callback.onCompletion(new RecordMetadata(OUT, -1, -1, -1, -1, -1), why));
    }

    @Override
    public void flush() {
        if (cluster.has(TransactionFault.FLUSH_DOES_NOT_WAIT)) {
            return;
        }
        awaitAnswers();
    }

    private void awaitAnswers() {
        while (!sent.isEmpty() && !closed && !dead) {
            pause();
        }
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata member) {
        requireTransaction();
        pause();
        for (int turns = fails(30) ? SLOW : 0; turns > 0 && !world.isCalm() && !closed && !dead; turns--) {
            pause();
        }
        requireUsable();
        requireCurrent();
        if (fails(60)) {
            throw failsWith(new TimeoutException("no coordinator of the group"), false);
        }
        if (!world.isMember(member) && !cluster.has(TransactionFault.OFFSETS_OF_ANYBODY)) {
            throw failsWith(new CommitFailedException("generation " + member.generationId() + " is over"), false);
        }
        cluster.sendOffsets(id, offsets, world.nanoTime());
    }

    @Override
    public void commitTransaction() {
        try {
            commit();
        } catch (TimeoutException askedAgain) {
            throw askedAgain;
        } catch (RuntimeException unknown) {
            world.doubt();
            throw unknown;
        }
    }

    private void commit() {
        awaitAnswers();
        if (committedUntold && !dead && !closed) {
            committedUntold = false;
            inTransaction = false;
            return;
        }
        requireTransaction();
        pause();
        requireUsable();
        requireCurrent();
        if (fails(40)) {
            if (random.nextBoolean()) {
                cluster.end(id, true);
                committedUntold = true;
            }
            throw new TimeoutException("no answer to the commit");
        }
        cluster.end(id, true);
        inTransaction = false;
    }

    @Override
    public void abortTransaction() {
        cluster.note("  %s is to be aborted", id);
        failAll(new TransactionAbortedException());
        pause();
        if (dead || closed || fatal || !inTransaction || !cluster.isCurrent(id, epoch) || fails(10)) {
            throw new KafkaException("cannot abort");
        }
        cluster.end(id, false);
        error = null;
        inTransaction = false;
    }

    @Override
    public void close() {
        close(Duration.ofMinutes(1));
    }

    @Override
    public void close(Duration timeout) {
        if (closed) {
            return;
        }
        closed = true;
        cluster.note("  %s closed, %s", id, timeout);
        failAll(new KafkaException("Producer is closed forcefully."));
        if (timeout.isPositive() && !dead && !committedUntold && cluster.isCurrent(id, epoch) && random.nextBoolean()) {
            cluster.end(id, false);
        }
    }
}
