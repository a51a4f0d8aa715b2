package dev.weir.console.internal.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * The call stack of a thread at a sample. Immutable.
 *
 * <p>Operators call user functions. The calling operator is the first frame of Weir's engine outside the innermost user
 * frame. All frames inside it are user code, including the JDK and library methods that the user function has called.
 *
 * @param frames the frames, innermost first
 * @param cut whether outer frames are missing, because the flight recorder limits the depth
 */
record CallStack(List<Frame> frames, boolean cut) {

    /**
     * The class through which {@code map} calls its function. Consecutive maps call each other, so the number of its
     * frames on the stack identifies the running map.
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

    /** Returns the owner of the code, from the stack alone. A cut stack may lack the operator's frame. */
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
                    // There is no operator. A cut stack probably lacks its frame. Otherwise the client may have called
                    // user code, for example a deserializer.
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
     * Returns the number of nested map calls around the running code, which identifies the running map: 1 is the most
     * downstream one. 0 if there are none.
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
     * Returns a text for the operator, the map, and the outermost user method. It is the same for all elements of a
     * stage and usually unique to the stage. Empty if no operator is on the stack.
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

    /** Returns the user code without bridge frames, innermost first; all frames if there is no user code. */
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
     * Returns the frames of {@link #userCode} in the user's classes. If there are none, as with a method reference,
     * returns the outermost frame.
     */
    List<Frame> userMethods() {
        List<Frame> code = userCode();
        List<Frame> own =
                code.stream().filter(frame -> frame.kind() == FrameKind.USER).toList();
        return own.isEmpty() && !code.isEmpty() ? List.of(code.getLast()) : own;
    }
}
