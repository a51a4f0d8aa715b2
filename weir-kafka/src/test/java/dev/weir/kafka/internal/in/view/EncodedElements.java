package dev.weir.kafka.internal.in.view;

import dev.weir.lean.LeanRecord;

/** Creates elements of encoded records for tests of other packages. Stateless. */
public final class EncodedElements {

    private EncodedElements() {}

    public static EncodedElement of(LeanRecord... records) {
        EncodedElement element = new ViewPool().takeOutput();
        for (LeanRecord record : records) {
            element.send(record);
        }
        return element;
    }
}
