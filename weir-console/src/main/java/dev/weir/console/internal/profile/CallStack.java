package dev.weir.console.internal.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * The call stack of a thread at the time of a sample. Immutable.
 *
 * <p>An operator calls a function of the user. The user code consists of all frames inside this operator's frame, which
 * is the innermost engine frame that surrounds a user frame. Calls of the JDK and of libraries count as user code if
 * the function makes them.
 *
 * @param frames the frames, innermost first
 * @param cut whether outer frames are missing, because the flight recorder limits the depth
 */
record CallStack(List<Frame> frames, boolean cut) {

    /**
     * The loop class of {@code map}. Each map of a group calls the upstream map through this class, so the number of
     * frames of this class identifies the map.
     */
    private static final String MAP_LOOP = "dev.weir.stream.internal.operator.MapStage$FunctionLoop";

    private static final String MAP_CALL = "apply";

    /** The owner of the code that a thread was running. */
    enum Owner {
        USER,
        CLIENT,
        ENGINE,
        OTHER
    }

    /**
     * Returns the owner of the code, which is determined from the stack alone. A stack that was cut may lack the frames
     * of its operator.
     */
    Owner owner() {
        if (operator() >= 0) {
            return Owner.USER;
        }
        if (first(FrameKind.BROKER, 0) >= 0) {
            return Owner.OTHER;
        }
        for (Frame frame : frames) {
            switch (frame.kind()) {
                case ENGINE -> {
                    return Owner.ENGINE;
                }
                case CLIENT -> {
                    return Owner.CLIENT;
                }
                case USER -> {
                    // The client also calls user classes, such as a deserializer.
                    return cut ? Owner.USER : first(FrameKind.CLIENT, 0) >= 0 ? Owner.CLIENT : Owner.OTHER;
                }
                case BROKER, SERVING -> {}
            }
        }
        return Owner.OTHER;
    }

    /** Returns the index of the operator that called the innermost user code; -1 if there is none. */
    private int operator() {
        int user = first(FrameKind.USER, 0);
        return user < 0 ? -1 : first(FrameKind.ENGINE, user);
    }

    private int first(FrameKind kind, int from) {
        for (int i = from; i < frames.size(); i++) {
            if (frames.get(i).kind() == kind) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the number of nested map calls around the running code; 0 if there are none. The number identifies the
     * map that was running, counted from the lowest map.
     */
    int maps() {
        int at = 0;
        while (at < frames.size() && !isMapCall(frames.get(at))) {
            at++;
        }
        int from = at;
        while (at < frames.size() && isMapCall(frames.get(at))) {
            at++;
        }
        return at - from;
    }

    private static boolean isMapCall(Frame frame) {
        return frame.method().equals(MAP_CALL) && frame.type().startsWith(MAP_LOOP);
    }

    /**
     * Returns the caller and the outermost frame of the user code, which are the same for all elements of a stage and
     * usually unique to it.
     */
    String signature() {
        int operator = operator();
        if (operator < 0) {
            return "";
        }
        Frame caller = frames.get(operator);
        Frame called = frames.get(Math.max(0, operator - 1));
        for (int i = operator - 1; i >= 0 && called.kind() != FrameKind.USER; i--) {
            called = frames.get(i);
        }
        return caller.name() + " " + maps() + " " + called.type() + "." + called.method();
    }

    /** Returns the user code without bridge frames, the innermost frame first; all frames if there is no user code. */
    List<Frame> userCode() {
        int operator = operator();
        List<Frame> within = operator < 0 ? frames : frames.subList(0, operator);
        List<Frame> shown = new ArrayList<>(within.size());
        for (Frame frame : within) {
            if (!frame.isBridge()) {
                shown.add(frame);
            }
        }
        return shown.isEmpty() ? within : shown;
    }

    /**
     * Returns the frames of {@link #userCode} whose class belongs to the user. If there are none, as with a method
     * reference, returns only the outermost frame.
     */
    List<Frame> userMethods() {
        List<Frame> code = userCode();
        List<Frame> own =
                code.stream().filter(frame -> frame.kind() == FrameKind.USER).toList();
        return own.isEmpty() && !code.isEmpty() ? List.of(code.getLast()) : own;
    }
}
