package dev.weir.bench.workload;

import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.ParserException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Parses user-written YAML into a tree. Depth and size are limited, because readers are recursive. Stateless. */
public final class YamlText {

    /** Maximum depth of nested lists and mappings. Weir's own files are less than ten levels deep. */
    static final int MOST_LEVELS = 100;

    /**
     * Maximum number of nodes that a reader visits. Each use of an alias counts, because a few lines of aliases can
     * expand to billions of nodes.
     */
    static final int MOST_NODES = 200_000;

    private YamlText() {}

    /**
     * Parses YAML text.
     *
     * @param name the name of the file that contains the text
     * @return the root node; empty if the text contains nothing
     * @throws org.snakeyaml.engine.v2.exceptions.YamlEngineException if the text is not valid YAML, is nested too
     *     deeply or is too large
     */
    public static Optional<Node> compose(String name, String yaml) {
        LoadSettings settings = LoadSettings.builder().setLabel(name).build();
        int level = 0;
        for (Event event : new Parse(settings).parseString(yaml)) {
            switch (event.getEventId()) {
                case SequenceStart, MappingStart -> level++;
                case SequenceEnd, MappingEnd -> level--;
                default -> {
                    // Other events open no level.
                }
            }
            if (level > MOST_LEVELS) {
                throw tooDeep(event.getStartMark());
            }
        }
        Optional<Node> root = new Compose(settings).composeString(yaml);
        root.ifPresent(node -> count(node, 0, 0));
        return root;
    }

    private static int count(Node node, int level, int before) {
        int count = before + 1;
        if (level > MOST_LEVELS) { // Nesting was checked above, so an alias is the cause.
            throw tooDeep(node.getStartMark());
        }
        if (count > MOST_NODES) {
            throw new ParserException(
                    "it has more than " + MOST_NODES + " nodes, aliases counted", node.getStartMark());
        }
        if (node instanceof SequenceNode list) {
            for (Node each : list.getValue()) {
                count = count(each, level + 1, count);
            }
        } else if (node instanceof MappingNode mapping) {
            for (NodeTuple each : mapping.getValue()) {
                count = count(each.getKeyNode(), level + 1, count);
                count = count(each.getValueNode(), level + 1, count);
            }
        }
        return count;
    }

    private static ParserException tooDeep(Optional<Mark> at) {
        return new ParserException("it is nested deeper than " + MOST_LEVELS + " levels", at);
    }
}
