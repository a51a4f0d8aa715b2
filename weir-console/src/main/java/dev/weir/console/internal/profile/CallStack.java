package dev.weir.console.internal.profile;

import java.util.ArrayList;
import java.util.List;

/**
 * The call stack of a thread at a sample. Immutable.
 *
 * <p>An operator calls a user's function: the user code consists of the frames inside the innermost engine frame that
 * surrounds a user frame. JDK and library calls made by the function count as part of it.
 *
 * @param frames the innermost first
 * @param cut whether outer frames are missing, because the recorder limits the depth
 */
record CallStack(List<Frame> frames, boolean cut) {

    /**
     * The loop of {@code map}: each map of a group calls the one above through it, so counting its frames identifies
     * the map.
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

    /** The owner of the code, judged by the stack alone; a cut stack may lack the frames of its operator. */
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
     * The caller and the outermost frame of the user code: the same for all elements of a stage, and usually unique to
     * it.
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

    /** The user's code, the innermost frame first, without bridge frames; all frames if there is no user code. */
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
     * The methods of user classes in the user code; if there are none, as with a method reference, the outermost
     * method.
     */
    List<Frame> userMethods() {
        List<Frame> code = userCode();
        List<Frame> own =
                code.stream().filter(frame -> frame.kind() == FrameKind.USER).toList();
        return own.isEmpty() && !code.isEmpty() ? List.of(code.getLast()) : own;
    }
}
