package dev.weir.console.internal.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * The calls that a thread was in. Immutable.
 *
 * <p>A user's function is called by an operator: its code are the frames within the first frame of the engine that lies
 * outside a user's frame. What the JDK or a library does for that function counts for it.
 *
 * @param frames the innermost first
 * @param cut whether outer frames are missing, as the recorder keeps only so many
 */
record CallStack(List<Frame> frames, boolean cut) {

    /**
     * The loop of {@code map}: each map of a group calls the one above through it, so their number tells which it is.
     */
    private static final String MAP_LOOP = "dev.weir.stream.internal.operator.MapStage$FunctionLoop";

    private static final String MAP_CALL = "apply";

    /** The owner of the code that a thread ran. */
    enum Owner {
        USER,
        CLIENT,
        ENGINE,
        OTHER
    }

    /**
     * The owner of the code, as far as the stack alone can tell: a cut one may have lost the frames of its operator.
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
                    // A user's class serves the client too, such as a deserializer.
                    return cut ? Owner.USER : first(FrameKind.CLIENT, 0) >= 0 ? Owner.CLIENT : Owner.OTHER;
                }
                case BROKER, SERVING -> {}
            }
        }
        return Owner.OTHER;
    }

    /** The index of the operator that called the innermost user code, or -1. */
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

    /** Number of maps, from the lowest, that the element was in during a shared pass; 0 if it was in none. */
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
     * The caller of the user's code, and the outermost frame of that code: the same for all elements of a stage, and
     * mostly for no other stage.
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

    /** The user's code, the innermost frame first, without what only leads to it; all if there is none. */
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
     * The methods of the user's own classes in it; where there are none, as with a reference to a method, the
     * outermost.
     */
    List<Frame> userMethods() {
        List<Frame> code = userCode();
        List<Frame> own =
                code.stream().filter(frame -> frame.kind() == FrameKind.USER).toList();
        return own.isEmpty() && !code.isEmpty() ? List.of(code.getLast()) : own;
    }
}
