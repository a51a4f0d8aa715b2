package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.DeadLetter;
import dev.weir.kafka.DeadLetterHandle;
import dev.weir.kafka.DeadLetters;
import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.ProduceException;
import dev.weir.kafka.ProducerSettings;
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
 * Handles records that an exactly-once run cannot write, if it is not to fail: leaves them out, or writes letters in
 * their place, in the transaction of their inputs' offsets. Confined to the segment's thread, but for {@link #excuses}
 * and {@link #committed}, which are the committing thread's, and the handle.
 *
 * <p>A refusal breaks a transaction as a whole, and all its inputs are read again. The inputs of the refused record are
 * suspects then: each record that comes of one is tried in a transaction that is aborted in any case, before it goes
 * into one that is to last. So the record that is ruled on is always the one in hand, whatever the stages make of their
 * inputs the second time.
 */
final class TransactionRule<K, V> implements DeadLetterHandle {

    private static final Logger LOG = LoggerFactory.getLogger(TransactionRule.class);

    /** Excuses in a row for inputs that are suspects already, and no record was found. More would be without end. */
    static final int MOST_IN_VAIN = 5;

    /** The proposal of a letter that has nothing of its record. */
    private static final int SMALLEST = 2;

    /** A refused record: why, what topic it was for, and the inputs that it was made of. */
    record Refusal(String topic, Exception why, List<String> places) {}

    /** The records for one topic that are made of one input. */
    private record Origin(String place, String topic) {}

    private final StageContext context;

    /** Warns of a record and acknowledges it. */
    private final WriteRule<ProducerRecord<K, V>> skipping;

    /** Null if records are skipped. */
    private final @Nullable DeadLetterWriter letters;

    private final UnwrittenFailures<K, V> unwritten;
    private final TransactionalProducer<K, V> trial;
    private boolean trialIsOpen;
    private boolean hasWarned;

    /** The committing thread puts and removes. */
    private final RefusalSearch<Origin> suspects = new RefusalSearch<>();

    /** Records that were ruled on; written by the segment's thread. */
    private volatile long ruled;

    // The committing thread's.
    private long ruledBefore;
    private int inVain;
    private volatile long written;
    private volatile long cut;

    private TransactionRule(
            StageContext context,
            WriteRule<ProducerRecord<K, V>> skipping,
            @Nullable DeadLetterWriter letters,
            UnwrittenFailures<K, V> unwritten,
            TransactionalProducer<K, V> trial) {
        this.context = context;
        this.skipping = skipping;
        this.letters = letters;
        this.unwritten = unwritten;
        this.trial = trial;
    }

    /**
     * Returns the rule's form in a run; null if it lets the run fail. Refuses a dead-letter topic that does not exist.
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
        DeadLetters deadLetters = rule.letters();
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

    /** Returns whether it is for a refusal like that. Any thread. */
    boolean takes(Exception refusal) {
        return skipping.takes(refusal);
    }

    /**
     * Hears about a record in a transaction.
     *
     * @param places of its inputs: there may be no claim when the answer comes
     */
    Callback answerOf(OpenTransaction<K, V> transaction, ProducerRecord<K, V> record, List<String> places) {
        return (metadata, refusal) -> {
            if (refusal != null) {
                transaction.refusals.add(new Refusal(record.topic(), meant(refusal), places));
            }
            transaction.onCompletion(metadata, refusal);
        };
    }

    /** Inputs of the element; the caller holds its acknowledgement. */
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

    // ---- The segment's thread --------------------------------------------------------------------------------------

    /** Returns whether nothing speaks against a record for that topic, whatever it was made of. */
    boolean isQuiet(String topic) {
        return suspects.isEmpty() && skipping.refusalOf(topic) == null;
    }

    /** The reason why the record in hand cannot be written; null if it can, as far as is known. May block. */
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

    /** The reason why the brokers or the client refuse a record that is alone; null if they do not. */
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
     * Rules on a record that cannot be written. Returns what is written in its place, for the same claim; null if that
     * is nothing, and the claim is ended. May block.
     */
    @Nullable
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    ProducerRecord<K, V> inPlaceOf(ProducerRecord<K, V> record, Exception why, AckTarget target, long token) {
        ruled++;
        skipping.note(record.topic(), why);
        if (letters == null) {
            skipping.add(record, why, target, token);
            return null;
        }
        String place = target.placeOf(token);
        return letter(letters, unwritten.failed(record, why, place), place);
    }

    /** The largest letter that its topic takes. */
    private ProducerRecord<K, V> letter(DeadLetterWriter from, FailedRecord failed, String place) {
        for (int tooLarge = 0; ; tooLarge++) {
            ProducerRecord<K, V> letter = ready(from.propose(failed, tooLarge));
            Exception refusal = tried(letter);
            if (refusal == null || TransactionFaults.fatal(refusal, letter.topic()) == null) {
                return letter;
            }
            if (!(refusal instanceof RecordTooLargeException) || tooLarge == SMALLEST) {
                throw new ProduceException(letter.topic(), place, refusal);
            }
            if (!hasWarned) {
                hasWarned = true;
                LOG.warn(
                        "pipeline {}: dead letters are too large for topic {} and are written without their value, which"
                                + " is lost when its topic deletes it: first that of {}; raise max.message.bytes of the"
                                + " topic and max.request.size of the flow's producer",
                        context.pipelineName(),
                        letter.topic(),
                        place);
            }
        }
    }

    /** As the producer of the run takes it, whose serializers are of other types. */
    @SuppressWarnings("unchecked")
    private static <K, V> ProducerRecord<K, V> ready(ProducerRecord<byte[], byte[]> letter) {
        return (ProducerRecord<K, V>) new ProducerRecord<Object, Object>(
                letter.topic(),
                null,
                letter.timestamp(),
                new ReadyBytes(letter.key()),
                new ReadyBytes(letter.value()),
                letter.headers());
    }

    // ---- The committing thread -------------------------------------------------------------------------------------

    /**
     * Returns whether one of the causes may be a refusal that it is for, so that {@link #excuses} knows once all
     * answers are there.
     */
    boolean mayExcuse(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = Thrown.cause(cause)) {
            if (cause instanceof Exception refusal && takes(meant(refusal))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes up the refusals in transactions that are aborted; whether they are reason enough, so that the run goes on.
     */
    boolean excuses(List<OpenTransaction<K, V>> aborted) {
        boolean isExcused = false;
        boolean isAnother = false;
        for (OpenTransaction<K, V> transaction : aborted) {
            for (Refusal refusal : transaction.refusals) {
                if (takes(refusal.why)) {
                    isExcused = true;
                    if (RecordRefusals.isOfOtherTopics(refusal.why, refusal.topic)) {
                        continue; // the record was not sent yet when that of another topic was refused
                    }
                    for (String place : refusal.places) {
                        isAnother |= suspects.suspect(new Origin(place, refusal.topic), refusal.why) == null;
                    }
                }
            }
        }
        if (isExcused) {
            long ruledNow = ruled;
            // Where records come in another order each time, several are refused before any of them comes again.
            inVain = ruledNow == ruledBefore && !isAnother ? inVain + 1 : 1;
            ruledBefore = ruledNow;
        }
        return isExcused && inVain <= MOST_IN_VAIN;
    }

    /** Counts what is in a transaction that is committed, and forgets the suspects that do not come again. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer
    void committed(TransactionCut<K, V> done) {
        long before = written;
        written = before + done.transaction().letters();
        cut += done.transaction().cutLetters();
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

    /** Returns whether a record is a letter whose original is not whole in it. */
    static boolean isCut(ProducerRecord<?, ?> letter) {
        return letter.headers().lastHeader(DeadLetter.CUT) != null;
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

    /** Returns 0: refused records of a transaction cannot wait, so the run fails. */
    @Override
    public int held() {
        return 0;
    }
}
