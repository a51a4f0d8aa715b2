package dev.weir.console.internal.profile;

import java.util.Arrays;
import java.util.List;

/**
 * One batch processed by a stage, or by a stage and the maps applied in the same pass. Immutable.
 *
 * @param maps the names of the maps, starting with the most downstream one
 */
record StageRun(String pipeline, String stage, List<String> maps) {

    /** Creates a run from the fields of an event. {@code maps} has one line per map. */
    static StageRun of(String pipeline, String stage, String maps) {
        return new StageRun(
                pipeline,
                stage,
                maps.isEmpty() ? List.of() : Arrays.stream(maps.split("\n", -1)).toList());
    }

    /** Returns the stage of a stack sampled during this run. */
    StageRef at(CallStack stack) {
        int deep = stack.maps();
        return new StageRef(pipeline, deep == 0 || deep > maps.size() ? stage : maps.get(deep - 1));
    }
}
