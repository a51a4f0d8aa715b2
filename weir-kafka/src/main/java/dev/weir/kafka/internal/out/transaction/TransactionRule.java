package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.internal.handler.DeadLetterWriter;
import dev.weir.kafka.internal.handler.TopicCheck;
import dev.weir.kafka.internal.out.client.ReadyBytes;
import dev.weir.kafka.internal.out.client.RecordRefusals;
import dev.weir.kafka.internal.out.client.RefusalSearch;
import dev.weir.kafka.internal.out.client.RefusalSearch.State;
import dev.weir.kafka.internal.out.write.UnwrittenFailures;
import dev.weir.kafka.internal.out.write.WriteRule;
import dev.weir.kafka.produce.WriteFailures;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.Thrown;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule for records that an exactly-once run cannot write: skips them, or writes dead-letter records in the same
 * transaction as their inputs' offsets. Confined to the stage's thread, except for {@link #excuses} and
 * {@link #committed}, which the committing thread calls, and the methods of {@link DeadLetterHandle}.
 *
 * <p>A rejected record aborts its whole transaction, and all inputs of the transaction are read again. The inputs of
 * the rejected record become suspects. The stages process a suspect again, perhaps with another result. A new record
 * for the same topic is first written alone, in a trial transaction that is always aborted. If this trial fails, the
 * rule is applied to the new record.
 */
final class TransactionRule<K, V> implements DeadLetterHandle {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionRule.class);

    /** Maximum number of consecutive aborts without progress. */
    static final int MOST_IN_VAIN = 5;

    /** The number of smaller forms of a dead-letter record. */
    private static final int SMALLEST = 2;

    /** A rejected record: its topic, the reason, and its inputs. */
    record Refusal(String topic, Exception why, List<String> places) {}

    /** The records for one topic that are made from the same input. */
    private record Origin(String place, String topic) {}

    private final StageContext context;

    private final WriteRule<ProducerRecord<K, V>> skipping;

    /** Null if records are skipped. */
    private final @Nullable DeadLetterWriter deadLetters;

    private final UnwrittenFailures<K, V> unwritten;
    private final TransactionalProducer<K, V> trial;
    private boolean trialIsOpen;
    private boolean hasWarned;

    /** Inputs that may produce a rejected record. Modified only by the committing thread. */
    private final RefusalSearch<Origin> suspects = new RefusalSearch<>();

    /** The number of records to which the rule was applied. Written by the stage's thread. */
    private volatile long ruled;

    // Confined to the committing thread
    private long ruledBefore;
    private int inVain;
    private volatile long written;
    private volatile long cut;

    private TransactionRule(
            StageContext context,
            WriteRule<ProducerRecord<K, V>> skipping,
            @Nullable DeadLetterWriter deadLetters,
            UnwrittenFailures<K, V> unwritten,
            TransactionalProducer<K, V> trial) {
        this.context = context;
        this.skipping = skipping;
        this.deadLetters = deadLetters;
        this.unwritten = unwritten;
        this.trial = trial;
    }

    /**
     * Creates the run's rule, or returns null if unwritable records fail the run. Throws if the dead-letter topic does
     * not exist.
     */
    static <K, V> @Nullable TransactionRule<K, V> of(
            WriteFailures rule,
            StageContext context,
            ProducerSettings<K, V> settings,
            TransactionalProducer<K, V> trial) {
        if (rule.action() == WriteFailures.Action.FAIL) {
            return null;
        }
        WriteFailures skip =
                rule.ofTopics() ? WriteFailures.skip() : WriteFailures.skip().ofRecordsOnly();
        DeadLetterTopic deadLetters = rule.deadLetterTopic();
        TransactionRule<K, V> made = new TransactionRule<>(
                context,
                WriteRule.ofRecords(skip, context, settings),
                deadLetters == null ? null : new DeadLetterWriter(deadLetters),
                new UnwrittenFailures<>(settings),
                trial);
        if (deadLetters != null) {
            TopicCheck.check(deadLetters.settings(), List.of(deadLetters.topic()));
            context.expose(made);
        }
        return made;
    }

    /** Returns whether the rule for unwritable records covers an exception. May be called from any thread. */
    boolean takes(Exception refusal) {
        return skipping.takes(refusal);
    }

    /**
     * Creates the callback for a record in a transaction.
     *
     * @param places the origins of the record's inputs, which are unknown after the acknowledgement
     */
    Callback answerOf(OpenTransaction<K, V> transaction, ProducerRecord<K, V> record, List<String> places) {
        return (metadata, refusal) -> {
            if (refusal != null) {
                transaction.refusals.add(new Refusal(record.topic(), meant(refusal), places));
            }
            transaction.answered(metadata, refusal, refusal == null ? "" : EndedAcknowledgement.text(places));
        };
    }

    /** Returns the origins of an unacknowledged element's inputs, such as {@code orders-3@17}. */
    static List<String> places(AckTarget target, long token) {
        if (target instanceof EndedAcknowledgement ended) {
            return ended.places();
        }
        List<String> places = new ArrayList<>(1);
        target.roots(token, (source, rootToken) -> places.add(source.placeOf(rootToken)));
        return places;
    }

    private static Exception meant(Exception refusal) {
        return refusal instanceof TimeoutException waited ? RecordRefusals.ofVainWait(waited) : refusal;
    }

    // ---- The stage's thread ----------------------------------------------------------------------------------------

    /** Returns whether there are no suspects and no rejection was noted for the topic. */
    boolean isQuiet(String topic) {
        return suspects.isEmpty() && skipping.refusalOf(topic) == null;
    }

    /** Returns why a record cannot be written, or null if no reason is known. May block. */
    @Nullable
    Exception refusal(ProducerRecord<K, V> record, AckTarget target, long token) {
        String topic = record.topic();
        boolean isSuspect = false;
        for (String place : suspects.isEmpty() ? List.<String>of() : places(target, token)) {
            if (suspects.stateOf(new Origin(place, topic)) instanceof State.Suspect before) {
                isSuspect = true;
                if (RecordRefusals.isOfTopic(before.why(), topic)) {
                    skipping.note(topic, before.why());
                }
            }
        }
        Exception ofTopic = skipping.refusalOf(topic);
        Exception why = ofTopic == null && isSuspect ? tried(record) : ofTopic;
        return why != null && takes(why) ? why : null;
    }

    /** Writes a record in a trial transaction. Returns why it was rejected, or null if it was accepted. */
    private @Nullable Exception tried(ProducerRecord<K, V> record) {
        if (!trialIsOpen) {
            trial.open();
            trialIsOpen = true;
        }
        AtomicReference<@Nullable Exception> refusal = new AtomicReference<>();
        try {
            trial.begin();
            ProducerRecord<K, V> copy = TransactionRecord.copy(record, TransactionRecord.headers(record));
            var ignored = trial.client.send(copy, (metadata, why) -> refusal.set(why));
            trial.flush();
        } catch (InterruptException interrupted) {
            throw interrupted;
        } catch (RuntimeException thrown) {
            refusal.set(thrown);
        }
        trial.abort();
        Exception why = refusal.get();
        return why == null ? null : meant(why);
    }

    /**
     * Applies the rule to a record that cannot be written. Returns the dead-letter record to write instead, or null if
     * the record is skipped. May block.
     */
    @Nullable
    @SuppressWarnings("NonAtomicVolatileUpdate") // single writer
    ProducerRecord<K, V> inPlaceOf(ProducerRecord<K, V> record, Exception why, AckTarget target, long token) {
        ruled++;
        skipping.note(record.topic(), why);
        if (deadLetters == null) {
            skipping.add(record, why, target, token);
            return null;
        }
        String place = target.placeOf(token);
        return deadLetter(deadLetters, unwritten.failed(record, why, place), place);
    }

    /** Returns a failed record's dead-letter record, reduced in size until the dead-letter topic accepts it. */
    private ProducerRecord<K, V> deadLetter(DeadLetterWriter from, FailedRecord failed, String place) {
        for (int tooLarge = 0; ; tooLarge++) {
            ProducerRecord<K, V> deadLetter = ready(from.propose(failed, tooLarge));
            Exception refusal = tried(deadLetter);
            if (refusal == null || TransactionFaults.fatal(refusal, deadLetter.topic(), place) == null) {
                return deadLetter;
            }
            if (!(refusal instanceof RecordTooLargeException) || tooLarge == SMALLEST) {
                throw new ProduceException(deadLetter.topic(), place, refusal);
            }
            if (!hasWarned) {
                hasWarned = true;
                LOG.warn(
                        "pipeline {}: dead-letter records are too large for topic {} and are written without their value, which"
                                + " is lost when its topic deletes it: first for {}; raise max.message.bytes of the"
                                + " topic and max.request.size of the flow's producer",
                        context.pipelineName(),
                        deadLetter.topic(),
                        place);
            }
        }
    }

    /** Wraps the serialized key and value, because the run's serializers have other types. */
    @SuppressWarnings("unchecked")
    private static <K, V> ProducerRecord<K, V> ready(ProducerRecord<byte[], byte[]> deadLetter) {
        return (ProducerRecord<K, V>) new ProducerRecord<Object, Object>(
                deadLetter.topic(),
                null,
                deadLetter.timestamp(),
                new ReadyBytes(deadLetter.key()),
                new ReadyBytes(deadLetter.value()),
                deadLetter.headers());
    }

    // ---- The committing thread -------------------------------------------------------------------------------------

    /** Returns whether the rule may cover the exception or one of its causes. {@link #excuses} makes the decision. */
    boolean mayExcuse(Throwable failure) {
        for (Throwable cause : Thrown.causes(failure)) {
            if (cause instanceof Exception refusal && takes(meant(refusal))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Handles the rejected records of aborted transactions. Returns whether the rule covers one of them, and
     * {@link #MOST_IN_VAIN} is not exceeded.
     */
    boolean excuses(List<OpenTransaction<K, V>> aborted) {
        boolean isExcused = false;
        boolean isAnother = false;
        for (OpenTransaction<K, V> transaction : aborted) {
            for (Refusal refusal : transaction.refusals) {
                if (takes(refusal.why)) {
                    isExcused = true;
                    if (RecordRefusals.isOfOtherTopics(refusal.why, refusal.topic)) {
                        continue; // not a suspect: a record of another topic was rejected
                    }
                    for (String place : refusal.places) {
                        isAnother |= suspects.suspect(new Origin(place, refusal.topic), refusal.why) == null;
                    }
                }
            }
        }
        if (isExcused) {
            long ruledNow = ruled;
            // A new suspect also counts as progress, because records may arrive in a different order each time.
            inVain = ruledNow == ruledBefore && !isAnother ? inVain + 1 : 1;
            ruledBefore = ruledNow;
        }
        return isExcused && inVain <= MOST_IN_VAIN;
    }

    /** Counts the dead-letter records of a committed transaction. Forgets suspects that will not be read again. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // single writer
    void committed(TransactionCut<K, V> done) {
        long before = written;
        written = before + done.transaction().deadLetters();
        cut += done.transaction().cutDeadLetters();
        if (suspects.isEmpty()) {
            return;
        }
        Map<String, Long> nextOffsets = new HashMap<>();
        done.partitions().forEach(partition -> {
            var committed = done.offsets().get(partition.id());
            nextOffsets.put(partition.id().toString(), committed == null ? 0 : committed.offset());
        });
        suspects.forgetIf(origin -> {
            String place = origin.place;
            int at = place.lastIndexOf('@');
            Long next = nextOffsets.get(place.substring(0, at));
            return next == null || Long.parseLong(place, at + 1, place.length(), 10) < next;
        });
    }

    static boolean isCut(ProducerRecord<?, ?> deadLetter) {
        return deadLetter.headers().lastHeader(DeadLetterHeaders.CUT) != null;
    }

    // ---- Others ----------------------------------------------------------------------------------------------------

    @Override
    public long written() {
        return written;
    }

    @Override
    public long cut() {
        return cut;
    }

    /** Returns 0. A run fails if it cannot write a dead-letter record, and never holds it. */
    @Override
    public int held() {
        return 0;
    }
}
