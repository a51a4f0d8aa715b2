package dev.weir.stream.internal.steering;

import dev.weir.stream.control.ThreadActivity;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Supplier;

/** Looks at the threads of a run's tasks. Thread-safe. */
public final class ThreadLook implements ThreadActivity {

    /** Frames from the top in which a park, a wait or a sleep shows. */
    private static final int FRAMES = 12;

    private final Supplier<SortedMap<String, List<Thread>>> threads;

    /** Creates one that is given the threads by the name of their dispatcher. */
    public ThreadLook(Supplier<SortedMap<String, List<Thread>>> threads) {
        this.threads = threads;
    }

    /** Whether a thread waits for others of the run or for time, and not in code of the user's. */
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

    private static Counts count(String dispatcher, List<Thread> threads) {
        Map<State, Integer> counts = new EnumMap<>(State.class);
        int looked = 0;
        for (Thread thread : threads) {
            State state = switch (thread.getState()) {
                case RUNNABLE -> State.RUNNING;
                case BLOCKED -> State.BLOCKED;
                case NEW, TERMINATED -> null;
                case WAITING, TIMED_WAITING -> looked++ < MOST_STACKS ? waitOf(thread.getStackTrace()) : State.PARKED;
            };
            if (state != null) {
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

    /** How a thread waits, by what it called first of these: a sleep of a virtual thread ends in a park. */
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
