package dev.weir.kafka.internal.out.client;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the faulty records among records that were rejected together. Brokers reject whole batches, and a client also
 * fails all records after a rejected one. Each of these records is a suspect, and is sent again alone. If it is
 * rejected again, it is faulty.
 *
 * <pre>
 *   (none)  --refused among others-->  Refused  --review-->  Suspect  --sent again-->  Alone  --written-->  (none)
 *      |                                  |                     ^                        |
 *      |                                  | no rule covers it   | to be sent again       | refused
 *      |                                  v                     |                        v
 *      |                               (none)                   +--------------------  AtFault  --review-->  (none)
 *      +--refused before anything was sent after it---------------------------------------^
 * </pre>
 *
 * <p>Thread-safe: rejections are reported on a producer's thread. Costs nothing while no record is rejected.
 *
 * @param <R> a record, or the element from which records can be created again; compared by {@code equals}
 */
public final class RefusalSearch<R> {

    /** The state of a rejected record. Other records have no state. */
    public sealed interface State {

        Exception why();

        /** The record was rejected during the current attempt. */
        record Refused(Exception why) implements State {}

        /** The record is waiting to be sent alone. */
        record Suspect(Exception why) implements State {}

        /** The record was sent alone and is not yet acknowledged. */
        record Alone(Exception why) implements State {}

        /** The record itself is faulty. */
        record AtFault(Exception why) implements State {}
    }

    /** A rejected record whose exception explains the failure of an attempt. */
    public record Reason<R>(R record, Exception why) {}

    /** Sends records in order. Confined to one thread. */
    public interface Way<R> {

        /** Sends the next record. Returns false if this attempt can send no further records. */
        boolean send(R record) throws InterruptedException;

        /** Waits until all sent records are completed. Returns false if this attempt can send no further records. */
        boolean settle() throws InterruptedException;

        /** Sends a record while no other record is in flight, and waits for the outcome. */
        default void sendAlone(R record) throws InterruptedException {
            boolean ignored = send(record) && settle();
        }
    }

    /** The states of rejected records, in the order of their rejections. */
    private final Map<R, State> states = Collections.synchronizedMap(new LinkedHashMap<>());

    /** Returns whether no record is under suspicion. */
    public boolean isEmpty() {
        return states.isEmpty();
    }

    /** Returns the number of records under suspicion. */
    public int size() {
        return states.size();
    }

    public boolean isSuspect(R record) {
        return stateOf(record) instanceof State.Suspect;
    }

    /** Returns the state of a record, or null if it is not under suspicion. */
    public @Nullable State stateOf(R record) {
        return states.get(record);
    }

    /** Reports a rejection. If the record was sent alone, it is at fault. */
    public void refused(R record, Exception why) {
        states.put(record, stateOf(record) instanceof State.Alone ? new State.AtFault(why) : new State.Refused(why));
    }

    /** Reports a rejection of a record that was the last one sent. The record itself is faulty. */
    public void refusedForItself(R record, Exception why) {
        states.put(record, new State.AtFault(why));
    }

    /**
     * Makes a record the last suspect. Must not be called concurrently.
     *
     * @return the record's previous state, or null if it was not under suspicion
     */
    public @Nullable State suspect(R record, Exception why) {
        State before = states.remove(record);
        states.put(record, new State.Suspect(why));
        return before;
    }

    /** Returns the most informative rejection of this attempt, or null. The first one wins a tie. */
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
     * Ends an attempt, and decides which records remain suspects. A rejected record becomes a suspect if {@code takes}
     * accepts its exception.
     *
     * @param takes returns whether the pipeline's rule for rejected records covers an exception
     * @param atFault receives the faulty records whose exception the rule covers
     * @return whether the rule covers any of the exceptions
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

    /** Returns the next suspect to send alone, or null. Returns null while another record is being sent alone. */
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

    /** Removes a record that was written or will not be sent again. Returns its previous state, or null. */
    public @Nullable State forget(R record) {
        return states.remove(record);
    }

    /** Removes records that will not be sent again. */
    public void forgetIf(Predicate<? super R> isGone) {
        boolean ignored = states.keySet().removeIf(isGone);
    }

    /**
     * Sends records again in order. Suspects are sent alone.
     *
     * @return the number of accepted records; if this is all of them, they are also complete
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
