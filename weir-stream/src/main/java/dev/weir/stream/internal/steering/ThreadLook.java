package dev.weir.stream.internal.steering;

import dev.weir.stream.control.ThreadActivity;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads the states of the threads that run a pipeline's tasks. Thread-safe. */
public final class ThreadLook implements ThreadActivity {

    /** Number of stack frames, from the top, that are searched for a wait or a sleep. */
    private static final int FRAMES = 12;

    private final Supplier<SortedMap<String, List<Thread>>> threads;

    public ThreadLook(Supplier<SortedMap<String, List<Thread>>> threads) {
        this.threads = threads;
    }

    /** Returns whether a thread is waiting in Weir's own code, for other threads or for time to pass. */
    public static boolean waitsInMachinery(Thread thread) {
        if (thread.getState() == Thread.State.RUNNABLE) {
            return false;
        }
        for (StackTraceElement frame : thread.getStackTrace()) {
            String type = frame.getClassName();
            if (!type.startsWith("java.") && !type.startsWith("jdk.")) {
                return type.startsWith("dev.weir.stream.") || type.startsWith("dev.weir.kafka.");
            }
        }
        return false;
    }

    @Override
    public List<Counts> now() {
        List<Counts> all = new ArrayList<>();
        threads.get().forEach((dispatcher, running) -> all.add(count(dispatcher, running)));
        return all;
    }

    @Override
    public List<OneThread> each(int most) {
        List<OneThread> all = new ArrayList<>();
        threads.get().forEach((dispatcher, running) -> {
            int looked = 0;
            int left = most;
            for (Thread thread : running) {
                State state = left > 0 ? stateOf(thread, looked < MOST_STACKS) : null;
                if (state != null) {
                    looked += isWait(state) ? 1 : 0;
                    left--;
                    all.add(OneThread.of(thread.threadId(), thread.getName(), dispatcher, state));
                }
            }
        });
        return all;
    }

    private static Counts count(String dispatcher, List<Thread> threads) {
        Map<State, Integer> counts = new EnumMap<>(State.class);
        int looked = 0;
        for (Thread thread : threads) {
            State state = stateOf(thread, looked < MOST_STACKS);
            if (state != null) {
                looked += isWait(state) ? 1 : 0;
                counts.merge(state, 1, Integer::sum);
            }
        }
        return Counts.of(
                dispatcher,
                counts.getOrDefault(State.RUNNING, 0),
                counts.getOrDefault(State.PARKED, 0),
                counts.getOrDefault(State.WAITING, 0),
                counts.getOrDefault(State.SLEEPING, 0),
                counts.getOrDefault(State.BLOCKED, 0));
    }

    /** Returns null for a thread that has not started or has terminated. */
    private static @Nullable State stateOf(Thread thread, boolean readsStack) {
        return switch (thread.getState()) {
            case RUNNABLE -> State.RUNNING;
            case BLOCKED -> State.BLOCKED;
            case NEW, TERMINATED -> null;
            case WAITING, TIMED_WAITING -> readsStack ? waitOf(thread.getStackTrace()) : State.PARKED;
        };
    }

    private static boolean isWait(State state) {
        return state != State.RUNNING && state != State.BLOCKED;
    }

    /**
     * Returns the kind of wait, according to the topmost frame of {@code Object.wait} or {@code Thread.sleep}. The top
     * frame alone is not enough: a sleeping virtual thread is parked.
     */
    static State waitOf(StackTraceElement[] stack) {
        for (int i = 0; i < Math.min(stack.length, FRAMES); i++) {
            String type = stack[i].getClassName();
            String method = stack[i].getMethodName();
            if (type.equals("java.lang.Object") && method.startsWith("wait")) {
                return State.WAITING;
            }
            if (type.equals("java.lang.Thread") && method.startsWith("sleep")) {
                return State.SLEEPING;
            }
        }
        return State.PARKED;
    }
}
