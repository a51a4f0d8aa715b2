/**
 * The harness's part in the process of a library under test: the messages exchanged with the harness as lines of JSON,
 * the ledger of deliveries, the meters of the process. A driver implements {@link dev.weir.driver.Driver}; all else
 * calls it, on the main thread.
 */
@NullMarked
package dev.weir.driver;

import org.jspecify.annotations.NullMarked;
