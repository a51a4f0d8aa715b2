package dev.weir.cli.tune;

import dev.weir.examples.asimov.AsimovSteps;
import dev.weir.examples.asimov.Locating;
import dev.weir.examples.asimov.Parsing;

/** A step that has a naive version: its stage, and what replaces it. */
enum Step {
    JSON("parse JSON", "JSON read as tokens instead of as a tree") {
        @Override
        Object run(AsimovSteps steps, Input input) {
            return steps.parseJson(input.value());
        }
    },
    URL("parse URL", "URLs taken apart by a parser of their own instead of java.net.URI") {
        @Override
        Object run(AsimovSteps steps, Input input) {
            return steps.parseUrl(input.parsing());
        }
    },
    LZ("decompress", "LZ-string with positions in the output instead of a dictionary of strings") {
        @Override
        Object run(AsimovSteps steps, Input input) {
            return steps.decompress(input.locating());
        }
    };

    final String stage;
    final String change;

    Step(String stage, String change) {
        this.stage = stage;
        this.change = change;
    }

    /** Runs this step alone. */
    abstract Object run(AsimovSteps steps, Input input);

    /** The input of the steps, of one event. Equality is by identity of the array. */
    // The bytes as they come from a record: a copy would serve nobody.
    @SuppressWarnings("ArrayRecordComponent")
    record Input(byte[] value, Parsing parsing, Locating locating) {

        static Input of(AsimovSteps steps, byte[] value) {
            Parsing parsing = steps.parseJson(value);
            return new Input(value, parsing, steps.parseUrl(parsing));
        }
    }
}
