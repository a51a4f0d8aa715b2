package dev.weir.site;

import java.util.List;

/** The documents have faults. The message names each with file and line. */
public final class SiteException extends RuntimeException {

    private static final long serialVersionUID = 1;

    SiteException(List<String> faults) {
        super("the site cannot be made:\n  " + String.join("\n  ", faults));
    }
}
