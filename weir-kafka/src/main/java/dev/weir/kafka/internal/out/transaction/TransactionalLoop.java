package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.out.client.WriteLoop;
import dev.weir.kafka.internal.out.write.TopicWatch;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Writes pulled records to the open transaction. Confined to the stage's thread, which holds the lock of the
 * {@link TransactionsOfRun}, except during the client's {@code send}, which may block.
 *
 * <p>All records made from an input are written in the same transaction. A transaction that is due may contain records
 * of unfinished inputs. Until it is cut, it is closing: it accepts only further records of these inputs. Other records
 * wait here, in order, for the next transaction.
 */
final class TransactionalLoop<K, V> extends WriteLoop<ProducerRecord<K, V>> {

    /** The interval between checks for records to send or to write again. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** The longest pause between two batches, in which the consumer's thread can end a due transaction. */
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The minimum time until the next pause if no transaction ended in the last pause. */
    private static final long VAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The open transaction may reach this multiple of its limits while the previous one is being committed. */
    private static final int MOST = 4;

    /** The maximum number of elements sent without a chance for the consumer's thread to end the transaction. */
    private static final int RUN = 64;

    private final TransactionsOfRun<K, V> run;
    private final TransactionCommitter<K, V> committer;
    private final TransactionCounts counts;
    private final TransactionPlan plan;
    private final TopicWatch topics;
    private final StageMeter meter;
    private final LostInputs<K, V> inputs;
    private final ArrayDeque<TransactionRecord<K, V>> waiting = new ArrayDeque<>();

    /** The closing transaction whose records were searched for in {@link #waiting}; null to search again. */
    private @Nullable OpenTransaction<K, V> searched;

    /** {@link OpenTransaction#opened} at the last search. */
    private long searchedOpened;

    private String lastTopic = "";

    /** The headers of the last record before it was sent. */
    private Header[] headers = {};

    private long nextTurnNanos;

    TransactionalLoop(
            TransactionsOfRun<K, V> run,
            TransactionCommitter<K, V> committer,
            TransactionCounts counts,
            TransactionPlan plan,
            TopicWatch topics,
            StageContext context) {
        super(context.meter());
        this.run = run;
        this.committer = committer;
        this.counts = counts;
        this.plan = plan;
        this.topics = topics;
        this.meter = context.meter();
        this.inputs = new LostInputs<>(run, committer);
        run.sinkMeter = meter;
        nextTurnNanos = run.clock.nanoTime();
    }

    /** Returns the deadline of the next pull. It is near if records are queued or kept. */
    @Override
    protected long deadlineNanos() {
        return waiting.isEmpty() && !run.keeps ? Stage.NEVER : run.clock.after(LOOK_NANOS);
    }

    @Override
    protected void send(Batch<ProducerRecord<K, V>> batch) throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            int next = 0;
            while (next < batch.size()) {
                int taken = takeRun(batch, next);
                if (taken == 0) {
                    takeOne(batch.get(next), batch.target(next), batch.token(next));
                    taken = 1;
                }
                next += taken;
            }
            drainWaiting();
            giveWay();
        } finally {
            run.lock.unlock();
        }
    }

    /**
     * Sends consecutive elements that need no checks, with the lock released once. Returns the number of elements sent.
     */
    private int takeRun(Batch<ProducerRecord<K, V>> batch, int from) {
        OpenTransaction<K, V> filling = run.filling();
        if (filling == null
                || !waiting.isEmpty()
                || run.aborted.isWaiting()
                || run.isEnded()
                || mustWait(filling)
                || run.isClosing()) {
            return 0;
        }
        int end = endOfRun(batch, from, plan.records() - filling.records());
        int count = end == from ? 0 : sendRun(filling, batch, from, end);
        if (count > 0) {
            wantCutIfDue(filling);
        }
        return count;
    }

    private int endOfRun(Batch<ProducerRecord<K, V>> batch, int from, long room) {
        int most = Math.min(batch.size(), from + Math.clamp(room, 0, RUN));
        int end = from;
        TransactionRule<K, V> rule = run.rule;
        if (rule != null && !rule.isQuiet(lastTopic)) {
            return from;
        }
        while (end < most
                && batch.get(end).topic().equals(lastTopic)
                && batch.target(end) instanceof OffsetTracker source
                && !inputs.isGone(source, batch.token(end))) {
            end++;
        }
        return end;
    }

    /**
     * Sends elements, and returns their number. Stops if the transaction is aborted or the rule must handle an element.
     */
    private int sendRun(OpenTransaction<K, V> filling, Batch<ProducerRecord<K, V>> batch, int from, int end) {
        int[] at = {from};
        TransactionRule<K, V> rule = run.rule;
        try {
            run.send(() -> {
                for (; at[0] < end; at[0]++) {
                    send(filling, batch.get(at[0]), batch.target(at[0]), batch.token(at[0]), false);
                }
            });
        } catch (InterruptException interrupted) {
            boolean ignored = sent(filling, batch, from, at[0]);
            throw interrupted;
        } catch (RuntimeException thrown) {
            boolean isOpen = sent(filling, batch, from, at[0]);
            boolean isOfTransaction = isOfTransaction(thrown);
            if (isOfTransaction) {
                // The records sent before are written again, or their inputs are read again.
                committer.abortFilling(thrown);
            }
            if (isOfTransaction || (rule != null && rule.takes(thrown))) {
                batch.set(at[0], TransactionRecord.copy(batch.get(at[0]), headers));
                return isOpen ? at[0] - from : 0;
            }
            throw ofRecord(thrown, batch.get(at[0]), batch.target(at[0]), batch.token(at[0]));
        } catch (Error thrown) {
            boolean ignored = sent(filling, batch, from, at[0]);
            throw thrown;
        }
        return sent(filling, batch, from, end) ? end - from : 0;
    }

    /** Returns whether an exception from a send concerns the transaction or the client, and not only the record. */
    private static boolean isOfTransaction(RuntimeException thrown) {
        return (thrown instanceof KafkaException || thrown instanceof IllegalStateException)
                && !(thrown instanceof SerializationException);
    }

    private static RuntimeException ofRecord(
            RuntimeException thrown, ProducerRecord<?, ?> record, AckTarget target, long token) {
        return thrown instanceof SerializationException
                ? new ProduceException(record.topic(), target.placeOf(token), thrown)
                : thrown;
    }

    /** Sends a record. Its acknowledgement must still be pending. Called by {@link TransactionsOfRun#send}. */
    private void send(
            OpenTransaction<K, V> filling,
            ProducerRecord<K, V> record,
            AckTarget target,
            long token,
            boolean isDeadLetter) {
        headers = TransactionRecord.headers(record);
        TransactionRule<K, V> rule = run.rule;
        AckTarget known = filling.kept == null ? target : filling.lasting(target, token, rule != null);
        Callback answer = rule == null
                ? filling.answerOf(known, token)
                : rule.answerOf(filling, record, TransactionRule.places(known, token));
        filling.producer.send(record, answer);
        if (filling.kept != null) {
            filling.kept.add(new TransactionRecord<>(record, headers, known, token, isDeadLetter));
        }
    }

    /**
     * Adds sent elements to the open transaction, even if a later element of the batch has failed. Returns false if the
     * transaction was aborted or the run has ended.
     */
    private boolean sent(OpenTransaction<K, V> filling, Batch<ProducerRecord<K, V>> batch, int from, int end) {
        if (run.filling() != filling) {
            return false;
        }
        for (int i = from; i < end; i++) {
            filling.sent(batch.target(i), batch.token(i), batch.get(i).timestamp());
        }
        return true;
    }

    private void takeOne(ProducerRecord<K, V> record, AckTarget target, long token) throws InterruptedException {
        drainWaiting();
        TransactionRecord<K, V> element = new TransactionRecord<>(record, target, token);
        if (isRuledOut(element)) {
            return;
        }
        if (waiting.isEmpty() ? !isPlaced(element) : !isSentWhileClosing(element)) {
            meter.holds(1);
            waiting.addLast(element);
        }
    }

    /**
     * Applies the rule to an element that is known to be unwritable. Returns true if the element is then finished.
     * Otherwise it must be sent, unchanged or as a dead-letter record.
     */
    private boolean isRuledOut(TransactionRecord<K, V> element) {
        TransactionRule<K, V> rule = run.rule;
        if (rule == null || rule.isQuiet(element.record.topic())) {
            return false;
        }
        Exception why = unlocked(() -> Optional.ofNullable(rule.refusal(element.record, element.target, element.token)))
                .orElse(null);
        return why != null && isRuledOut(rule, element, why);
    }

    private boolean isRuledOut(TransactionRule<K, V> rule, TransactionRecord<K, V> element, Exception why) {
        Optional<ProducerRecord<K, V>> deadLetter =
                unlocked(() -> Optional.ofNullable(rule.inPlaceOf(element.record, why, element.target, element.token)));
        deadLetter.ifPresent(record -> {
            element.record = record;
            element.isDeadLetter = true;
        });
        return deadLetter.isEmpty();
    }

    /** Runs an action without the lock. The action may block, and must not use the shared state. */
    private <T> T unlocked(Supplier<T> work) {
        run.lock.unlock();
        try {
            return work.get();
        } finally {
            run.lock.lock();
        }
    }

    /** Sends queued records. While a transaction is closing, sends only the records that belong to it. */
    private void drainWaiting() throws InterruptedException {
        sendAgain();
        while (!waiting.isEmpty() && !run.isClosing()) {
            TransactionRecord<K, V> next = waiting.element();
            if (!isPlaced(next)) {
                break; // the transaction began to close during the call
            }
            waiting.remove();
            meter.holds(-1);
        }
        OpenTransaction<K, V> filling = closing();
        // The last search found all records of the transaction, and no input was added since.
        if (filling == null || (filling == searched && filling.opened() == searchedOpened)) {
            return;
        }
        searched = filling;
        searchedOpened = filling.opened();
        for (Iterator<TransactionRecord<K, V>> all = waiting.iterator(); all.hasNext(); ) {
            TransactionRecord<K, V> next = all.next();
            if (isSentWhileClosing(next)) {
                all.remove();
                meter.holds(-1);
            }
        }
    }

    private @Nullable OpenTransaction<K, V> closing() {
        return run.isClosing() && !run.state().isAborting() ? run.filling() : null;
    }

    private boolean isSentWhileClosing(TransactionRecord<K, V> element) {
        OpenTransaction<K, V> filling = closing();
        if (filling == null || !filling.belongs(element.target, element.token)) {
            return false;
        }
        boolean isDone = inputs.isDropped(element.target, element.token) || isSent(filling, element);
        if (!isDone) {
            searched = null;
        }
        return isDone;
    }

    /** Waits until the element is sent or dropped. Returns false if it must wait for the next transaction. */
    private boolean isPlaced(TransactionRecord<K, V> element) throws InterruptedException {
        while (true) {
            sendAgain();
            throwIfEnded();
            if (inputs.isDropped(element.target, element.token)) {
                return true;
            }
            OpenTransaction<K, V> filling = run.filling();
            if (mustWait(filling)) {
                awaitChange();
            } else if (filling == null) {
                beginTransaction();
            } else if (run.isClosing()) {
                return isSentWhileClosing(element);
            } else if (isSent(filling, element)) {
                return true;
            }
        }
    }

    /** Sends the records of aborted transactions again. They precede all other records, to keep the order. */
    private void sendAgain() throws InterruptedException {
        TransactionRecord<K, V> next;
        while ((next = run.aborted.next()) != null) {
            throwIfEnded();
            OpenTransaction<K, V> filling = run.filling();
            boolean isDone = false;
            if (inputs.isDropped(next.target, next.token)) {
                isDone = true;
            } else if (mustWait(filling)) {
                awaitChange();
            } else if (filling == null) {
                beginTransaction();
            } else if (!next.isChecked) {
                next.isChecked = true;
                isDone = !next.isDeadLetter && isRuledOut(next);
            } else {
                isDone = isSent(filling, next);
            }
            if (isDone) {
                run.aborted.done(next);
            }
        }
    }

    private void throwIfEnded() throws InterruptedException {
        if (run.isEnded()) {
            throw new InterruptedException("the run has ended");
        }
    }

    private void awaitChange() throws InterruptedException {
        long start = System.nanoTime();
        run.clock.await(run.lock, run.changed, Stage.NEVER);
        meter.blockedDown(System.nanoTime() - start);
    }

    /** Returns whether nothing can be sent until the shared state changes. */
    private boolean mustWait(@Nullable OpenTransaction<K, V> filling) {
        if (run.state().isAborting()) {
            return true;
        }
        return filling == null ? !run.mayBegin() : run.committing() != null && isFull(filling);
    }

    private boolean isFull(OpenTransaction<K, V> filling) {
        return filling.records() / MOST >= plan.records() || filling.bytes() / MOST >= plan.bytes();
    }

    private void beginTransaction() {
        if (run.committing() != null) {
            counts.overlapped.increment();
        }
        committer.begin();
        run.wakeOwner.run();
    }

    /**
     * Sends an element. Returns false if the transaction must be aborted, or if the element's dead-letter record must
     * be sent instead.
     */
    private boolean isSent(OpenTransaction<K, V> filling, TransactionRecord<K, V> element) {
        ProducerRecord<K, V> record = element.record;
        AckTarget target = element.target;
        TransactionRule<K, V> rule = run.rule;
        try {
            run.send(() -> send(filling, record, target, element.token, element.isDeadLetter));
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException thrown) {
            if (isOfTransaction(thrown)) {
                element.record = TransactionRecord.copy(record, headers);
                committer.abortFilling(thrown);
                return false;
            }
            if (rule != null && rule.takes(thrown)) {
                return isRuledOut(rule, element, thrown);
            }
            throw ofRecord(thrown, record, target, element.token);
        }
        if (!record.topic().equals(lastTopic) && filling.refusedTopic().isEmpty()) {
            lastTopic = record.topic();
            committer.writes(lastTopic);
            if (!topics.isKnown(lastTopic)) {
                topics.written(lastTopic); // the client accepted a record, so it has found the topic
            }
        }
        if (run.filling() != filling) {
            return false;
        }
        filling.sent(target, element.token, record.timestamp());
        if (element.isDeadLetter) {
            filling.deadLetterSent(TransactionRule.isCut(record));
        }
        wantCutIfDue(filling);
        return true;
    }

    private void wantCutIfDue(OpenTransaction<K, V> filling) {
        if (!run.isCutWanted() && (filling.records() >= plan.records() || filling.bytes() >= plan.bytes())) {
            run.wantCut();
            run.wakeOwner.run();
        }
    }

    /** Pauses between two batches if the open transaction is due, so that the consumer's thread can end it. */
    private void giveWay() throws InterruptedException {
        if (run.isCutWanted() && run.state().mayCut()) {
            run.wakeOwner.run();
            if (!run.isClosing() && run.clock.hasPassed(nextTurnNanos)) {
                long deadlineNanos = run.clock.after(TURN_NANOS);
                while (run.isCutWanted() && !run.isIntakeHeld() && !run.clock.hasPassed(deadlineNanos)) {
                    run.clock.await(run.lock, run.changed, deadlineNanos);
                }
                if (run.isCutWanted()) {
                    nextTurnNanos = run.clock.after(VAIN_NANOS);
                }
            }
        }
    }

    @Override
    protected void finish() throws InterruptedException {
        run.lock.lockInterruptibly();
        try {
            run.endInput();
            drainWaiting();
            // The consumer's thread may have noted that everything is committed, while records were still queued here.
            run.noteThrough(false);
            run.wakeOwner.run();
            awaitCommit();
        } finally {
            run.lock.unlock();
        }
    }

    /** Waits until the kept records are committed. Only this loop can write them again after an abort. */
    private void awaitCommit() throws InterruptedException {
        while (run.keeps && !run.isThrough()) {
            throwIfEnded();
            sendAgain();
            if (run.state().mayCut() && !run.isCutWanted()) {
                run.wantCut();
                run.wakeOwner.run();
            }
            awaitChange();
        }
    }
}
