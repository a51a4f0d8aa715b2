package dev.weir.kafka.internal.out.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The search for the records at fault among those refused together. Brokers refuse whole batches, and a client gives up
 * all records after a refused one, so a refusal first means only that one of several records is at fault. Each of them
 * is sent again alone; a refusal then is its own.
 *
 * <pre>
 *   (none)  --refused among others-->  Refused  --review-->  Suspect  --sent again-->  Alone  --written-->  (none)
 *      |                                  |                     ^                        |
 *      |                                  | no rule covers it   | its route waits        | refused
 *      |                                  v                     |                        v
 *      |                               (none)                   +--------------------  AtFault  --review-->  (none)
 *      +--refused before anything was sent after it---------------------------------------^
 * </pre>
 *
 * <p>Thread-safe: refusals come on a producer's thread. Costs nothing while nothing is refused.
 *
 * @param <R> a record, or the element that records are made from again; compared by {@code equals}
 */
public final class RefusalSearch<R> {

    /** The state of a refused record. Other records have no state. */
    public sealed interface State {

        /** The refusal that led to the state. */
        Exception why();

        /** Refused in the current attempt. */
        record Refused(Exception why) implements State {}

        /** To be sent alone, in its turn. */
        record Suspect(Exception why) implements State {}

        /** Sent alone, not yet answered. */
        record Alone(Exception why) implements State {}

        /** Refused for its own fault. */
        record AtFault(Exception why) implements State {}
    }

    /** A refused record whose refusal explains the failure of an attempt. */
    public record Reason<R>(R record, Exception why) {}

    /** Sends records in order. Confined to one thread. */
    public interface Way<R> {

        /** Sends a record after the others; returns false if it accepts nothing more. */
        boolean send(R record) throws InterruptedException;

        /** Waits until all sent records are answered; returns false if it accepts nothing more. */
        boolean settle() throws InterruptedException;

        /** Sends a record while nothing else is in flight, waits for the answer, and handles it. */
        default void sendAlone(R record) throws InterruptedException {
            boolean ignored = send(record) && settle();
        }
    }

    /** States of refused records, in the order of their refusals. */
    private final Map<R, State> states = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Returns whether no record is in question. */
    public boolean isEmpty() {
        return states.isEmpty();
    }

    /** The number of records in question. */
    public int size() {
        return states.size();
    }

    /** Returns whether a record must be sent alone. */
    public boolean isSuspect(R record) {
        return stateOf(record) instanceof State.Suspect;
    }

    /** The state of a record, null if it is not in question. */
    public @Nullable State stateOf(R record) {
        return states.get(record);
    }

    /** Notes a refusal: the record's own if it was alone. */
    public void refused(R record, Exception why) {
        states.put(record, stateOf(record) instanceof State.Alone ? new State.AtFault(why) : new State.Refused(why));
    }

    /** Notes a refusal that came before anything was sent after the record. */
    public void refusedForItself(R record, Exception why) {
        states.put(record, new State.AtFault(why));
    }

    /**
     * Makes a record the last of the suspects. One thread at a time.
     *
     * @return its previous state; null if it was not in question
     */
    public @Nullable State suspect(R record, Exception why) {
        State before = states.remove(record);
        states.put(record, new State.Suspect(why));
        return before;
    }

    /** The most informative refusal of this attempt, the first of several; null if there is none. */
    public @Nullable Reason<R> reason() {
        Reason<R> most = null;
        for (Map.Entry<R, State> each : List.copyOf(states.entrySet())) {
            State state = each.getValue();
            if ((state instanceof State.Refused || state instanceof State.AtFault)
                    && (most == null || RecordRefusals.weight(state.why()) > RecordRefusals.weight(most.why))) {
                most = new Reason<>(each.getKey(), state.why());
            }
        }
        return most;
    }

    /**
     * Ends an attempt. If the rule covers their refusals, refused records become suspects, and those at fault leave the
     * search. Other refusals are dropped, because they explain no later failure.
     *
     * @param takes tells whether the rule covers a refusal
     * @param atFault receives records that leave the search
     * @return whether the rule covers one of the refusals
     */
    public boolean review(Predicate<? super Exception> takes, BiConsumer<? super R, ? super Exception> atFault) {
        boolean isRuled = false;
        for (Map.Entry<R, State> each : List.copyOf(states.entrySet())) {
            R record = each.getKey();
            State state = each.getValue();
            if (state instanceof State.Alone) {
                states.put(record, new State.Suspect(state.why()));
            } else if (!(state instanceof State.Suspect)) {
                boolean isTaken = takes.test(state.why());
                isRuled |= isTaken;
                if (isTaken && state instanceof State.Refused) {
                    states.put(record, new State.Suspect(state.why()));
                } else {
                    states.remove(record);
                }
                if (isTaken && state instanceof State.AtFault) {
                    atFault.accept(record, state.why());
                }
            }
        }
        return isRuled;
    }

    /** The next suspect, to be sent alone now; null if there is none, or another one is unanswered. */
    public @Nullable R nextAlone() {
        for (Map.Entry<R, State> each : List.copyOf(states.entrySet())) {
            if (each.getValue() instanceof State.Alone) {
                return null;
            }
            if (each.getValue() instanceof State.Suspect suspect) {
                states.put(each.getKey(), new State.Alone(suspect.why()));
                return each.getKey();
            }
        }
        return null;
    }

    /** Removes a record that is written or gone; returns its previous state, null if it was not in question. */
    public @Nullable State forget(R record) {
        return states.remove(record);
    }

    /** Removes records that will not be sent again. */
    public void forgetIf(Predicate<? super R> isGone) {
        boolean ignored = states.keySet().removeIf(isGone);
    }

    /**
     * Sends records again in order, suspects alone.
     *
     * @return the number of accepted records; if it is all of them, they are also answered
     */
    public int resend(List<R> inOrder, Way<? super R> way) throws InterruptedException {
        for (int i = 0; i < inOrder.size(); i++) {
            R record = inOrder.get(i);
            if (!isSuspect(record)) {
                if (!way.send(record)) {
                    return i;
                }
            } else if (way.settle()) {
                sendAlone(record, way);
            } else {
                return i;
            }
        }
        var ignored = way.settle();
        return inOrder.size();
    }

    private void sendAlone(R record, Way<? super R> way) throws InterruptedException {
        states.computeIfPresent(record, (same, suspect) -> new State.Alone(suspect.why()));
        way.sendAlone(record);
        if (stateOf(record) instanceof State.Alone) {
            var ignored = forget(record);
        }
    }
}
