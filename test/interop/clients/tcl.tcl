package require xmlrpc

set url [lindex $argv 0]

# The library knows no paths: it takes the URL up to the port, and the path apart.
proc call {path method args} {
  set answer [lindex [xmlrpc::call $::url $path $method $args] 1]
  # What stands behind is what was read beyond the value.
  return $answer
}
proc check {name got want} {
  if {$got eq $want} {puts "ok $name"} else {puts "not ok $name: $got"}
}
proc echo {value} {return [call interop test.echo $value]}
# Tcl has no types, so answers come as plain values and structs as lists of pairs.

check {demo: system.listMethods} [call demo system.listMethods] \
  {system.listMethods system.methodHelp system.methodSignature test.battingOrder}
check {demo: system.methodSignature} [call demo system.methodSignature {string test.battingOrder}] {{string int}}
check {demo: a state} [call demo test.battingOrder {int 4}] Georgia
check {demo: no state} [call demo test.battingOrder {int 51}] {Out of cheese error.}
check {demo: a fault for a wrong type} [lindex [call demo test.battingOrder {string 4}] 0] {faultCode -32602}
check {demo: a fault for an unknown method} [lindex [call demo nope] 0] {faultCode -32601}
# The library escapes nothing, and counts characters where HTTP counts bytes.
check string [echo {string {x "f" 'e'}}] {x "f" 'e'}
check {empty string} [echo {string {}}] {}
check int [list [echo {int -2147483648}] [echo {int 2147483647}]] {-2147483648 2147483647}
check double [list [echo {double 0.5}] [echo {double -12.214}]] {0.5 -12.214}
check {integral double} [echo {double 2.0}] 2.0
check boolean [list [echo {boolean 1}] [echo {boolean 0}]] {1 0}
check dateTime [echo {dateTime.iso8601 19980717T14:08:55}] 19980717T14:08:55
check base64 [echo {base64 AP8=}] AP8=
check array [echo {array {{int 1} {string x} {array {{boolean 1}}}}}] {1 x 1}
set person(a) {int 1}
set person(__proto__) {int 2}
check struct [lsort [echo {struct person}]] {{__proto__ 2} {a 1}}
set inner(c) {double 2.0}
set outer(b) {array {{struct inner} {int 3}}}
check nested [echo {struct outer}] {{b {{{c 2.0}} 3}}}
check add [call interop test.add {int 2} {int 3}] 5
check greet [list [call interop test.greet {string Joe}] [call interop test.greet {string Joe} {string Bye}]] {{Hello, Joe!} {Bye, Joe!}}
check {many types} [call interop validator1.manyTypesTest {int 7} {boolean 1} {string x} {double 2.0} \
  {dateTime.iso8601 19980717T14:08:55} {base64 AP8=}] {7 1 x 2.0 19980717T14:08:55 AP8=}
set three(moe) {int 1}
set three(larry) {int 2}
set three(curly) {int 3}
check stooges [call interop validator1.easyStructTest {struct three}] 6
check {a fault of its own} [call interop test.fail {int 42} {string {as told}}] {{faultCode 42} {faultString {as told}}}
