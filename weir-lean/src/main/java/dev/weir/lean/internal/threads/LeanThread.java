package dev.weir.lean.internal.threads;

import dev.weir.lean.BatchViewHandler;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import dev.weir.lean.internal.consumer.ConsumerEngine;
import dev.weir.lean.internal.wire.FailureText;
import dev.weir.lean.spi.CpuBinding;
import dev.weir.lean.spi.Slot;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A thread with its own consumer. The {@link ConsumerEngine} and its partitions are confined to this thread. Other
 * threads post commands to it, and read its last list of partitions.
 *
 * <p>To move a partition, its owner first removes it from its own consumer. The owner then posts a command to the next
 * owner, which adds the partition at the same position. At most one thread owns a partition at a time, and the first
 * owner's work on the records happens-before the next owner's work.
 */
public final class LeanThread implements Runnable {
    private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long AWAIT_MILLIS = 100;

    private final ReaderThreads crew;
    private final int number;
    private final ConsumerEngine engine;
    private final @Nullable RecordHandler records;
    private final @Nullable BatchViewHandler batches;
    private final int cpu; // -1 for any CPU
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private volatile List<Slot> slots = List.of();

    /** @param cpu the CPU to which the thread is bound; -1 for none */
    public LeanThread(
            ReaderThreads crew,
            int number,
            LeanSettings settings,
            @Nullable RecordHandler records,
            @Nullable BatchViewHandler batches,
            int cpu) {
        this.crew = crew;
        this.number = number;
        this.records = records == null ? null : endingRecords(records);
        this.batches = batches == null ? null : endingBatches(batches);
        this.cpu = cpu;
        try {
            this.engine = new ConsumerEngine(settings);
        } catch (IOException e) {
            throw new LeanException("the system provides no selector: " + FailureText.of(e), e);
        }
    }

    /** Wraps a handler, so that a stopping thread ends its poll after the current record. */
    private RecordHandler endingRecords(RecordHandler handler) {
        return record -> {
            handler.onRecord(record);
            endPollAtTheEnd();
        };
    }

    private BatchViewHandler endingBatches(BatchViewHandler handler) {
        return batch -> {
            handler.onBatch(batch);
            endPollAtTheEnd();
        };
    }

    private void endPollAtTheEnd() {
        if (crew.isEnding()) {
            engine.endPoll();
        }
    }

    /** Assigns all partitions of a topic. Must be called before the thread is started. */
    public void assignAll(String topic, StartAt start) {
        engine.assignAll(topic, start);
    }

    /** Closes a thread that was never started. */
    public void close() {
        engine.close();
    }

    int number() {
        return number;
    }

    @Override
    public void run() {
        Throwable failure = null;
        try {
            if (cpu >= 0) {
                CpuBinding.bindTo("cpus(...)", cpu);
            }
            read();
        } catch (Throwable e) { // Including a handler's exception. It is reported once all threads have ended.
            failure = e;
        }
        try {
            engine.close();
        } catch (Throwable e) {
            if (failure == null) {
                failure = e;
            } else if (failure != e) {
                failure.addSuppressed(e);
            }
        }
        slots = List.of();
        crew.ended(failure);
    }

    private void read() throws IOException {
        long told = System.nanoTime() - TELL_NANOS;
        while (!crew.isEnding()) {
            if (Thread.interrupted()) {
                throw new LeanException("a lean thread was interrupted, and close() was not called", null);
            }
            int work = obey();
            work += engine.poll(records, batches);
            long now = System.nanoTime();
            if (now - told >= TELL_NANOS) {
                told = now;
                tell();
                if (number == 0) {
                    crew.divide();
                }
            }
            if (work == 0) {
                engine.await(AWAIT_MILLIS);
            }
        }
    }

    private int obey() {
        int done = 0;
        for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
            order.run();
            done++;
        }
        if (done > 0) {
            tell();
        }
        return done;
    }

    private void tell() {
        slots = engine.assigned().stream()
                .map(index -> new Slot(engine.partition(index), engine.broker(index), number))
                .toList();
    }

    /**
     * Moves a partition to another thread, unless this thread no longer owns it, does not know its position, or must
     * report its fault. May be called by any thread.
     *
     * @param refused called by this thread if the partition stays
     */
    void give(TopicPartition partition, LeanThread next, Runnable refused) {
        post(() -> {
            int index = engine.index(partition.topic(), partition.partition());
            long position = index < 0 || engine.isAtFault(index) ? -1 : engine.position(index);
            if (position < 0) {
                refused.run();
                return;
            }
            StartAt place = StartAt.offset(position, engine.leaderEpoch(index));
            Uuid topicId = engine.topicId(index);
            engine.unassign(index);
            next.take(partition, place, topicId);
        });
    }

    private void take(TopicPartition partition, StartAt place, Uuid topicId) {
        post(() -> {
            var unused = engine.assign(partition.topic(), partition.partition(), place, topicId);
        });
    }

    /** Posts a command to this thread. May be called by any thread. */
    void post(Runnable order) {
        orders.add(order);
        engine.wakeup();
    }

    /** The thread's partitions as of its last report. May be called by any thread. */
    List<Slot> slots() {
        return slots;
    }

    /** The counters of the thread's consumer. May be called by any thread. */
    LeanMetrics metrics() {
        return engine.metrics();
    }

    /** Wakes the thread if it is waiting for brokers. May be called by any thread. */
    void wakeup() {
        engine.wakeup();
    }
}
