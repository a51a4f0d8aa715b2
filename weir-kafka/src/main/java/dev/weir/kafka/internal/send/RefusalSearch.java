package dev.weir.kafka.internal.send;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The search for the records at fault among those that were refused together. Brokers refuse a batch as a whole, and a
 * client gives up whatever is behind a refused record, so a refusal says at first only that one of several records is
 * at fault. Each of them is sent again alone; if it is refused then, the refusal is its own.
 *
 * <pre>
 *   (none)  --refused among others-->  Refused  --review-->  Suspect  --sent again-->  Alone  --written-->  (none)
 *      |                                  |                     ^                        |
 *      |                                  | no rule is for it   | its way waits          | refused
 *      |                                  v                     |                        v
 *      |                               (none)                   +--------------------  AtFault  --review-->  (none)
 *      +--refused before anything was sent behind it--------------------------------------^
 * </pre>
 *
 * <p>Thread-safe: refusals come on a producer's thread. Costs nothing while nothing is refused.
 *
 * @param <R> a record, or whatever records are made of again; compared by {@code equals}
 */
public final class RefusalSearch<R> {

    /** The state of a record that was refused. Records that are well have none. */
    public sealed interface State {

        /** The refusal that led to the state. */
        Exception why();

        /** Refused in the attempt that is not over yet. */
        record Refused(Exception why) implements State {}

        /** To be sent alone, in its turn. */
        record Suspect(Exception why) implements State {}

        /** Sent alone, without an answer. */
        record Alone(Exception why) implements State {}

        /** Refused for itself. */
        record AtFault(Exception why) implements State {}
    }

    /** A refused record whose refusal explains the failure of an attempt. */
    public record Reason<R>(R record, Exception why) {}

    /** Sends records one behind another. Confined to one thread. */
    public interface Way<R> {

        /** Sends a record behind the others; returns false if it takes nothing any more. */
        boolean send(R record) throws InterruptedException;

        /** Waits until all that was sent is answered; returns false if it takes nothing any more. */
        boolean settle() throws InterruptedException;

        /** Sends a record while nothing else is in flight, and waits for the answer, which it deals with. */
        void sendAlone(R record) throws InterruptedException;
    }

    private final ReentrantLock lock = new ReentrantLock();

    /** In the order in which they were refused. Under the lock. */
    private final Map<R, State> states = new LinkedHashMap<>();

    private volatile boolean isEmpty = true;

    /** Returns whether no record is in question. */
    public boolean isEmpty() {
        return isEmpty;
    }

    /** Returns whether a record is to be sent alone. */
    public boolean isSuspect(R record) {
        return stateOf(record) instanceof State.Suspect;
    }

    /** The state of a record, null if nothing is held against it. */
    public @Nullable State stateOf(R record) {
        if (isEmpty) {
            return null;
        }
        lock.lock();
        try {
            return states.get(record);
        } finally {
            lock.unlock();
        }
    }

    /** Notes a refusal: for itself if the record was alone. */
    public void refused(R record, Exception why) {
        put(record, stateOf(record) instanceof State.Alone ? new State.AtFault(why) : new State.Refused(why));
    }

    /** Notes a refusal that came before anything was sent behind the record. */
    public void refusedForItself(R record, Exception why) {
        put(record, new State.AtFault(why));
    }

    /**
     * Makes a record the last of the suspects.
     *
     * @return its state before; null if nothing was held against it
     */
    public @Nullable State suspect(R record, Exception why) {
        return put(record, new State.Suspect(why));
    }

    private @Nullable State put(R record, State state) {
        lock.lock();
        try {
            State before = states.remove(record);
            states.put(record, state);
            isEmpty = false;
            return before;
        } finally {
            lock.unlock();
        }
    }

    /** The refusal of this attempt that says most, of several the first; null if there is none. */
    public @Nullable Reason<R> reason() {
        Reason<R> most = null;
        lock.lock();
        try {
            for (Map.Entry<R, State> each : states.entrySet()) {
                Exception why = each.getValue().why();
                if ((each.getValue() instanceof State.Refused || each.getValue() instanceof State.AtFault)
                        && (most == null || Refusals.weight(why) > Refusals.weight(most.why))) {
                    most = new Reason<>(each.getKey(), why);
                }
            }
        } finally {
            lock.unlock();
        }
        return most;
    }

    /**
     * Ends an attempt. Refused records become suspects, and those at fault leave the search, if the rule is for their
     * refusals; other refusals are forgotten, as they explain no later failure.
     *
     * @param takes the rule
     * @param atFault takes what leaves the search
     * @return whether the rule is for one of the refusals
     */
    public boolean review(Predicate<? super Exception> takes, BiConsumer<? super R, ? super Exception> atFault) {
        List<Reason<R>> found = new ArrayList<>();
        boolean isRuled = false;
        lock.lock();
        try {
            for (Map.Entry<R, State> each : List.copyOf(states.entrySet())) {
                R record = each.getKey();
                State state = each.getValue();
                boolean isTaken = !(state instanceof State.Suspect) && takes.test(state.why());
                isRuled |= isTaken && !(state instanceof State.Alone);
                switch (state) {
                    case State.Suspect waits -> {}
                    case State.Alone unanswered -> states.replace(record, new State.Suspect(unanswered.why()));
                    case State.Refused refused when isTaken -> states.replace(record, new State.Suspect(refused.why()));
                    case State.Refused other -> states.remove(record);
                    case State.AtFault alone
                    when isTaken -> {
                        states.remove(record);
                        found.add(new Reason<>(record, alone.why()));
                    }
                    case State.AtFault other -> states.remove(record);
                }
            }
            isEmpty = states.isEmpty();
        } finally {
            lock.unlock();
        }
        found.forEach(each -> atFault.accept(each.record, each.why));
        return isRuled;
    }

    /** The next suspect, which is sent alone now; null if there is none, or another one has no answer yet. */
    public @Nullable R nextAlone() {
        lock.lock();
        try {
            for (Map.Entry<R, State> each : states.entrySet()) {
                if (each.getValue() instanceof State.Alone) {
                    return null;
                }
                if (each.getValue() instanceof State.Suspect suspect) {
                    each.setValue(new State.Alone(suspect.why()));
                    return each.getKey();
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a record that is written, or gone; returns its state before, null if nothing was held against it. */
    public @Nullable State forget(R record) {
        if (isEmpty) {
            return null;
        }
        lock.lock();
        try {
            State before = states.remove(record);
            isEmpty = states.isEmpty();
            return before;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets records that do not come again. */
    public void forgetIf(Predicate<? super R> isGone) {
        lock.lock();
        try {
            states.keySet().removeIf(isGone);
            isEmpty = states.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends records again in their order, suspects alone.
     *
     * @return the number of those that were taken, and answered if it is all of them
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
        State before = stateOf(record);
        if (before != null) {
            put(record, new State.Alone(before.why()));
        }
        way.sendAlone(record);
        if (stateOf(record) instanceof State.Alone) {
            var ignored = forget(record);
        }
    }
}
